import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Attempt, Run } from '@punctual/client';
import fc from 'fast-check';
import { axisOf, placeOf, spansOf, type TraceRow, traceOf } from '../src/run/run-trace.ts';

const DUE = Date.UTC(2026, 5, 1);
const iso = (ms: number) => new Date(DUE + ms).toISOString();
const attempt = (number: number, at: number, durationMs: number, fields: Partial<Attempt> = {}) =>
  ({ number, startedAt: iso(at), durationMs, outcome: 'response', ...fields }) as Attempt;
const run = (fields: Partial<Run>): Run => ({
  id: 'r',
  scheduleId: 's',
  scheduledFor: iso(0),
  trigger: 'schedule',
  status: 'succeeded',
  startedAt: iso(0),
  attempts: [],
  ...fields,
});
const shown = (rows: TraceRow[]) =>
  rows.map(({ name, result, spans }) => [
    name,
    result,
    spans.map(({ kind, from, to }) => `${kind} ${from - DUE}-${to - DUE}`).join(', '),
  ]);

describe('the trace of a run', () => {
  test('has what it waited for, each attempt, the waits between, and callbacks', () => {
    const rows = traceOf(
      run({
        status: 'failed',
        startedAt: iso(1_500),
        attempts: [
          attempt(1, 1_500, 100, {
            responseStatus: 500,
            error: 'x',
            phases: { dnsMs: 10, connectMs: 20, tlsMs: 30, firstByteMs: 25 },
          }),
          attempt(2, 6_600, 50, { outcome: 'timeout', error: 'x' }),
        ],
        callbacks: [
          {
            id: 'c',
            integrationId: 'i',
            url: 'x',
            status: 'succeeded',
            attempts: [attempt(1, 6_700, 5, { responseStatus: 200 })],
          },
        ],
      }),
      DUE + 99_000,
    );
    assert.deepEqual(shown(rows), [
      ['Late', '', 'late 0-1500'],
      [
        'Attempt 1',
        'status 500',
        'dns 1500-1510, connect 1510-1530, tls 1530-1560, firstByte 1560-1585, rest 1585-1600',
      ],
      ['Wait', '', 'wait 1600-6600'],
      ['Attempt 2', 'timed out', 'request 6600-6650'],
      ['Callback', 'status 200', 'request 6700-6705'],
    ]);
    assert.deepEqual(
      rows.map(({ isFailed = false }) => isFailed),
      [false, true, false, true, false],
    );
  });

  test('is late only where a person would say so, and a manual run never is', () => {
    const started = (at: number, trigger: Run['trigger']) =>
      traceOf(run({ trigger, startedAt: iso(at), attempts: [attempt(1, at, 1)] }), DUE)[0]!;
    assert.equal(started(999, 'schedule').spans[0]!.kind, 'wait');
    assert.equal(started(1_000, 'schedule').spans[0]!.kind, 'late');
    assert.equal(started(60_000, 'manual').spans[0]!.kind, 'wait');
  });

  test('goes on until now while a request, a retry or a completion is waited for', () => {
    const now = DUE + 5_000;
    assert.deepEqual(shown(traceOf(run({ status: 'running' }), now)), [
      ['Attempt 1', 'in flight', 'request 0-5000'],
    ]);
    const attempts = [attempt(1, 0, 100, { responseStatus: 202 })];
    const last = (fields: Partial<Run>) => shown(traceOf(run({ attempts, ...fields }), now)).at(-1);
    assert.deepEqual(last({ status: 'retrying' }), ['Wait', '', 'wait 100-5000']);
    const completionUntil = iso(60_000);
    assert.deepEqual(last({ status: 'running', completionUntil }), [
      'Completion',
      '',
      'completion 100-5000',
    ]);
    const completion = { until: completionUntil, endedAt: iso(3_000) };
    assert.deepEqual(last({ attempts: [{ ...attempts[0]!, completion }] }), [
      'Completion',
      '',
      'completion 100-3000',
    ]);
  });

  test('there is none of a run that never started', () => {
    const { startedAt: _, ...waiting } = run({ status: 'queued' });
    assert.deepEqual(traceOf(waiting, DUE), []);
  });
});

describe('the axis', () => {
  const rows = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 1, max: 30_000 })), {
      minLength: 1,
      maxLength: 6,
    })
    .map(gaps => {
      let at = 0;
      const attempts = gaps.map(([gap, duration], index) => {
        const made = attempt(index + 1, at + gap, duration);
        at += gap + duration;
        return made;
      });
      return traceOf(run({ startedAt: attempts[0]!.startedAt, attempts }), DUE);
    });

  test('fills its width, is in order, and has one scale for all that is sent', () => {
    fc.assert(
      fc.property(rows, all => {
        const axis = axisOf(all);
        const spans = all.flatMap(row => row.spans);
        const [first, last] = [axis[0]!, axis.at(-1)!];
        assert.equal(first.from, Math.min(...spans.map(({ from }) => from)));
        assert.equal(last.to, Math.max(...spans.map(({ to }) => to)));
        assert.equal(placeOf(axis, first.from), 0);
        assert.ok(Math.abs(placeOf(axis, last.to) - 1) < 1e-9);
        const instants = spans.flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
        const places = instants.map(at => placeOf(axis, at));
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
        const scales = spans
          .filter(({ kind }) => kind === 'request')
          .map(({ from, to }) => (placeOf(axis, to) - placeOf(axis, from)) / (to - from));
        for (const scale of scales) assert.ok(Math.abs(scale / scales[0]! - 1) < 1e-6);
      }),
    );
  });

  test('a request of some milliseconds is seen beside a wait of minutes', () => {
    const attempts = [attempt(1, 0, 20), attempt(2, 300_000, 20)];
    const axis = axisOf(traceOf(run({ attempts }), DUE));
    const [first] = spansOf(attempts[0]!);
    assert.ok(placeOf(axis, first!.to) - placeOf(axis, first!.from) > 0.39);
    assert.deepEqual(
      axis.map(({ isShort }) => isShort),
      [false, true, false],
    );
  });
});
