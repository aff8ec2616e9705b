import { Calendars } from './operations/calendars.ts';
import { Credentials } from './operations/credentials.ts';
import { Destinations } from './operations/destinations.ts';
import { Figures } from './operations/figures.ts';
import { Operations } from './operations/operations.ts';
import { Runs } from './operations/runs.ts';
import { Schedules } from './operations/schedules.ts';
import { Service } from './operations/service.ts';
import { Sessions } from './operations/sessions.ts';
import { Times } from './operations/times.ts';

export interface PunctualClient
  extends Schedules,
    Times,
    Runs,
    Figures,
    Calendars,
    Destinations,
    Credentials,
    Sessions,
    Service {}

/**
 * Every operation of the service. A method resolves to the answer's body. It rejects with a
 * `PunctualApiError` if the service refused, with a `PunctualConnectionError` if the service was
 * not reached, and with a `PunctualTimeoutError` after its time limit. If `signal` is aborted, it
 * rejects with the signal's reason.
 *
 * Reads, and calls with an idempotency key, are repeated after a lost connection, a 429 or a 5xx.
 * All others are sent once.
 *
 * Each method that takes the id of a schedule takes `byExternalId('invoice-nightly')` too, as long as the schedule is not
 * deleted.
 */
export class PunctualClient extends Operations {}

const ROOMS = [
  Schedules,
  Times,
  Runs,
  Figures,
  Calendars,
  Destinations,
  Credentials,
  Sessions,
  Service,
];
for (const { prototype } of ROOMS) {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(prototype);
  Object.defineProperties(PunctualClient.prototype, methods);
}
