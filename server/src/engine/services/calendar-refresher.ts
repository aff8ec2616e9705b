import type { Clock } from '../../clock.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type { CalendarReader } from '../calendar-reader.ts';
import { Loop, soonest } from '../loop.ts';
import type { EngineObserver } from '../observer.ts';

/** Those that others have put are due a day later at the soonest: it need not look often. */
const LOOK_EVERY_MS = 60_000;
/** A node that dies while it reads leaves its calendar to the others after this time. */
const TAKEN_FOR_MS = 10 * 60_000;

export interface CalendarRefresherOptions {
  calendars: CalendarStore;
  reader: Pick<CalendarReader, 'refreshDue'>;
  clock: Clock;
  observer: EngineObserver;
  /** A calendar says something else: its schedules are to be counted anew. */
  changed: () => void;
}

/**
 * Calendar refresher: reads the calendars of urls anew each day, and expands those of texts anew, one at a time.
 *
 * Guarantee: one node at a time reads a calendar, and a source that cannot be read leaves the last good version.
 */
export class CalendarRefresher {
  readonly #options: CalendarRefresherOptions;
  readonly #loop: Loop;

  constructor(options: CalendarRefresherOptions) {
    this.#options = options;
    this.#loop = new Loop(
      options.clock,
      () => this.#step(),
      error => options.observer.storeFailed(error),
      undefined,
      LOOK_EVERY_MS,
    );
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #step(): Promise<number | null> {
    const { calendars, reader, clock, observer, changed } = this.#options;
    const now = clock.now();
    const [due] = await calendars.takeDue(now, 1, now + TAKEN_FOR_MS);
    if (due === undefined) return soonest(await calendars.nextDueAt(), now, LOOK_EVERY_MS);
    const result = await reader.refreshDue(due);
    if (result === 'changed') changed();
    if (typeof result === 'object') observer.calendarFailed(due.name, result.fault);
    return now;
  }
}
