import type { Attempt, Callback, Run } from '@punctual/client';

/**
 * A run as spans on one axis. Long times in which nothing is sent are drawn short, so that a request of some milliseconds is
 * seen beside a wait of minutes.
 */

export type SpanKind =
  | 'late'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'firstByte'
  | 'rest'
  | 'request'
  | 'wait'
  | 'completion';

/** Instants are epoch ms. */
export interface TraceSpan {
  kind: SpanKind;
  from: number;
  to: number;
}

/** A line of the trace. */
export interface TraceRow {
  name: string;
  /** The result, in a few words; '' for a wait. */
  result: string;
  spans: TraceSpan[];
  isFailed?: boolean;
}

/** A stretch of the axis, and the part of its width that it takes, from 0 to 1. */
export interface AxisPiece {
  from: number;
  to: number;
  start: number;
  width: number;
  /** Whether the stretch is drawn shorter than it was. */
  isShort: boolean;
}

export const SPAN_NAMES: Record<SpanKind, string> = {
  late: 'late',
  dns: 'DNS',
  connect: 'connect',
  tls: 'TLS',
  firstByte: 'first byte',
  rest: 'rest',
  request: 'request',
  wait: 'waits',
  completion: 'waits for its completion',
};

/** Below this, lateness is what a busy second costs. */
const LATE_MS = 1_000;

/** @param now the end of what still goes on, epoch ms */
export function traceOf(run: Run, now: number): TraceRow[] {
  const due = Date.parse(run.scheduledFor);
  const started = run.startedAt === undefined ? undefined : Date.parse(run.startedAt);
  if (started === undefined) return [];
  const isLate = run.trigger !== 'manual' && started - due >= LATE_MS;
  return [
    ...waitRow(isLate ? 'Late' : 'Until its start', due, started, isLate ? 'late' : 'wait'),
    ...attemptRows(run, started, now),
    ...(run.callbacks ?? []).flatMap(callbackRows),
  ];
}

/** One behind the other, with the times between them. */
function attemptRows(run: Run, started: number, now: number): TraceRow[] {
  const rows: TraceRow[] = [];
  let end = started;
  for (const attempt of run.attempts) {
    const from = Date.parse(attempt.startedAt);
    if (rows.length > 0) rows.push(...waitRow('Wait', end, from, 'wait'));
    rows.push(attemptRow(`Attempt ${attempt.number}`, attempt));
    end = from + (attempt.durationMs ?? 0);
    const told = attempt.completion?.endedAt;
    if (told !== undefined) {
      rows.push(...waitRow('Completion', end, Date.parse(told), 'completion'));
      end = Math.max(end, Date.parse(told));
    }
  }
  if (run.completionUntil !== undefined)
    rows.push(...waitRow('Completion', end, now, 'completion'));
  else if (run.status === 'retrying') rows.push(...waitRow('Wait', end, now, 'wait'));
  else if (run.status === 'running' && rows.length === 0) {
    const spans: TraceSpan[] = [{ kind: 'request', from: started, to: Math.max(started, now) }];
    rows.push({ name: 'Attempt 1', result: 'in flight', spans });
  }
  return rows;
}

function callbackRows({ attempts }: Callback): TraceRow[] {
  return attempts.map(attempt =>
    attemptRow(attempt.number === 1 ? 'Callback' : `Callback, attempt ${attempt.number}`, attempt),
  );
}

function waitRow(name: string, from: number, to: number, kind: SpanKind): TraceRow[] {
  return to > from ? [{ name, result: '', spans: [{ kind, from, to }] }] : [];
}

function attemptRow(name: string, attempt: Attempt): TraceRow {
  const { outcome, responseStatus, error, refused } = attempt;
  const result =
    responseStatus !== undefined
      ? `status ${responseStatus}`
      : refused
        ? 'not sent'
        : RESULTS[outcome];
  return { name, result, spans: spansOf(attempt), ...(error !== undefined && { isFailed: true }) };
}

const RESULTS: Record<Attempt['outcome'], string> = {
  response: 'answered',
  timeout: 'timed out',
  connectionError: 'no connection',
  blocked: 'refused by the guard',
  lost: 'cut off',
};

const PHASES = [
  ['dns', 'dnsMs'],
  ['connect', 'connectMs'],
  ['tls', 'tlsMs'],
  ['firstByte', 'firstByteMs'],
] as const;

/** The phases of a request, one behind the other, and what is left of its duration. */
export function spansOf({ startedAt, durationMs = 0, phases = {} }: Attempt): TraceSpan[] {
  const started = Date.parse(startedAt);
  const spans: TraceSpan[] = [];
  let at = started;
  for (const [kind, phase] of PHASES) {
    const ms = phases[phase];
    if (ms === undefined) continue;
    spans.push({ kind, from: at, to: at + ms });
    at += ms;
  }
  const end = Math.max(at, started + durationMs);
  if (spans.length === 0) return [{ kind: 'request', from: started, to: end }];
  return end > at ? [...spans, { kind: 'rest', from: at, to: end }] : spans;
}

const isIdle = ({ kind }: TraceSpan) => kind === 'wait' || kind === 'late' || kind === 'completion';

/** An idle stretch takes at most this part of the time in which something is sent. */
const MOST_IDLE = 0.25;

/**
 * The axis of a trace, from its first instant to its last. All stretches in which something is sent have one scale.
 */
export function axisOf(rows: TraceRow[]): AxisPiece[] {
  const spans = rows.flatMap(row => row.spans);
  const cuts = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const busy = spans.filter(span => !isIdle(span));
  const isBusy = (from: number, to: number) => busy.some(span => span.from < to && span.to > from);
  const stretches = joined(
    cuts.slice(1).map((to, index) => ({
      from: cuts[index]!,
      to,
      isBusy: isBusy(cuts[index]!, to),
    })),
  );
  const busyMs = sum(stretches.filter(each => each.isBusy).map(({ from, to }) => to - from));
  const most = Math.max(1, busyMs * MOST_IDLE);
  const weightOf = ({ from, to, isBusy }: Stretch) =>
    isBusy ? to - from : Math.min(to - from, most);
  const total = sum(stretches.map(weightOf));
  let start = 0;
  return stretches.map(stretch => {
    const weight = weightOf(stretch);
    const { from, to } = stretch;
    const piece = { from, to, start, width: weight / total, isShort: weight < to - from };
    start += piece.width;
    return piece;
  });
}

interface Stretch {
  from: number;
  to: number;
  isBusy: boolean;
}

/** Stretches of one kind that follow each other are one. */
function joined(stretches: Stretch[]): Stretch[] {
  const made: Stretch[] = [];
  for (const stretch of stretches) {
    const last = made.at(-1);
    if (last?.isBusy === stretch.isBusy) last.to = stretch.to;
    else made.push({ ...stretch });
  }
  return made;
}

/** The place of an instant on the axis, from 0 to 1. */
export function placeOf(axis: AxisPiece[], at: number): number {
  const piece = axis.find(({ to }) => at <= to) ?? axis.at(-1);
  if (piece === undefined) return 0;
  const { from, to, start, width } = piece;
  const part = to === from ? 0 : (Math.min(Math.max(at, from), to) - from) / (to - from);
  return start + part * width;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
