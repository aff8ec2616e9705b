import { parentPort, workerData } from 'node:worker_threads';
import { type CalendarSource, periodsOf } from '../domain/calendar/exclusion/calendar-source.ts';
import type { Period } from '../domain/calendar/exclusion/period.ts';
import { countTimesWith } from '../domain/calendar/times.ts';
import type { ZoneData } from '../domain/calendar/zones/zone-data.ts';
import { type ErrorCode, PunctualError } from '../domain/errors.ts';

/** The thread that expands calendars. */

/** The data that the thread is started with. */
export interface ExpansionWorkerData {
  /** Null: the built-in rules. */
  zones: ZoneData | null;
}

/** @param now epoch ms */
export type ExpansionCall = [id: number, source: CalendarSource, now: number];

/** The periods, or why the source cannot be read; without a code it is a fault of this code. */
export type ExpansionResult = [
  id: number,
  periods: Period[] | null,
  fault?: { code: ErrorCode | null; message: string },
];

const { zones } = workerData as ExpansionWorkerData;
if (zones !== null) countTimesWith(zones);
const port = parentPort!;

port.on('message', ([id, source, now]: ExpansionCall) => {
  const answer = (...result: ExpansionResult) => port.postMessage(result);
  periodsOf(source, now).then(
    periods => answer(id, periods),
    (error: Error) => {
      const code = error instanceof PunctualError ? error.code : null;
      answer(id, null, { code, message: error.message });
    },
  );
});
