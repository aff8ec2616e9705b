import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { periodsOf } from '../../src/domain/calendar/exclusion/calendar-source.ts';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { CalendarReader } from '../../src/engine/calendar-reader.ts';
import { createTextFetcher } from '../../src/outbound/fetch-text.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { ManualClock } from '../support/clock.ts';
import { serve } from '../support/outbound/target-server.ts';
import { aClient } from '../support/store/backend.ts';

const GOOD = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', 'UID:1'],
  ...['DTSTAMP:20260101T000000Z', 'DTSTART;VALUE=DATE:20260601', 'END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n');

const answer = (status: string, body: string, ...headers: string[]) =>
  [
    ...[`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers],
    ...['Connection: close', '', body],
  ].join('\r\n');

/** Whatever answers is waited for, however busy the machine is. */
const PATIENT_MS = 30_000;

/** How a url goes bad that was well when its calendar was put. */
const FAILURES: Record<
  string,
  { with: (socket: Socket) => void; fault: RegExp; timeoutMs?: number }
> = {
  hangs: { with: () => {}, fault: /did not answer within 0\.3 s/, timeoutMs: 300 },
  'breaks off': { with: socket => socket.destroy(), fault: /could not be read/ },
  'redirects to what the guard refuses': {
    with: socket => socket.end(answer('302 Found', '', 'Location: http://169.254.169.254/x')),
    fault: /redirects to http:\/\/169\.254\.169\.254, which is refused/,
  },
  'is too large': {
    with: socket => socket.end(answer('200 OK', 'x'.repeat(1024 * 1024 + 1))),
    fault: /is larger than 1 MiB/,
  },
  'answers an error': {
    with: socket => socket.end(answer('500 Oops', GOOD)),
    fault: /answered 500/,
  },
  'is no calendar any more': {
    with: socket => socket.end(answer('200 OK', '<html></html>')),
    fault: /./,
  },
};

describe("a calendar's url that goes bad", () => {
  for (const [how, failure] of Object.entries(FAILURES)) {
    test(`${how}: the last good version stays, and the fault says it in a sentence`, async t => {
      const store = openSqlite(':memory:');
      t.after(() => store.close());
      const { calendars } = store;
      const { clientRowId } = await aClient(store);
      let isWell = true;
      const server = await serve(t, socket => {
        if (isWell) socket.end(answer('200 OK', GOOD));
        else failure.with(socket);
      });
      const clock = new ManualClock('2026-05-01T12:00:00Z');
      const allow = parseAllowTargets('127.0.0.0/8');
      const readerOf = (timeoutMs: number) => {
        const fetchText = createTextFetcher({ allow, timeoutMs });
        return new CalendarReader({ calendars, clock, fetchText, expand: periodsOf });
      };
      const url = `${server.url}/holidays.ics`;
      const put = await readerOf(PATIENT_MS).put(clientRowId, 'de', { kind: 'url', url });
      isWell = false;
      const reader = readerOf(failure.timeoutMs ?? PATIENT_MS);
      await clock.advance(86_400_000);
      const [due] = await calendars.takeDue(clock.now(), 1, clock.now() + 60_000);
      assert.ok(typeof (await reader.refreshDue(due!)) === 'object');
      const { fault, ...stale } = (await calendars.find(clientRowId, 'de'))!;
      assert.deepEqual(stale, { ...put, staleSince: clock.now() });
      assert.match(fault!, failure.fault);
      assert.match(fault!, /^[A-Z].*\.$/);
      const [said] = await calendars.versions([stale.version]);
      assert.equal(said!.periods.length, 1);
      assert.equal(await calendars.nextDueAt(), clock.now() + 3_600_000);
      await assert.rejects(reader.put(clientRowId, 'new', { kind: 'url', url }), {
        code: 'calendar_invalid',
      });
      assert.equal(await calendars.find(clientRowId, 'new'), null);
    });
  }
});
