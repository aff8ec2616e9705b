import type { Clock } from '../clock.ts';
import type { SigningSecrets } from '../domain/access/rotation.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId, runId } from '../domain/id.ts';
import type { Attempt } from '../domain/run/run.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import { runRequest } from '../outbound/request.ts';
import { attemptOf, type Send } from '../outbound/send.ts';

/** Somebody waits for the answer. */
const MOST_MS = 30_000;
/** Test requests in flight, of one client and in all. They are no firings, and take none of their places. */
const MOST_PER_CLIENT = 10;
const MOST_IN_ALL = 100;

/** The client of the test request. */
export interface TryRequester {
  clientRowId: number;
  secrets: () => Promise<SigningSecrets>;
}

/**
 * Sends the request of a schedule once, as a firing now would, and tells what happened. Nothing of it
 * is kept.
 *
 * Few at a time, since a caller makes as many as it likes: each holds a connection for up to 30 s.
 */
export class TestRequests {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #ofClient = new Map<number, number>();
  #inFlight = 0;

  constructor({ send, clock }: { send: Send; clock: Clock }) {
    this.#send = send;
    this.#clock = clock;
  }

  /** @throws PunctualError `too_many_tries` where the client, or all together, have as many in flight as may be */
  async try(schedule: Schedule, { clientRowId, secrets }: TryRequester): Promise<Attempt> {
    this.#enter(clientRowId);
    try {
      const nowMs = this.#clock.now();
      const request = runRequest(
        { ...schedule, ...(await secrets()) },
        { runId: runId(newId(nowMs), nowMs), scheduledFor: nowMs, attempt: 1, nowMs },
      );
      request.timeoutMs = Math.min(request.timeoutMs, MOST_MS);
      request.clientRowId = clientRowId;
      return attemptOf(1, await this.#send(request));
    } finally {
      this.#leave(clientRowId);
    }
  }

  #enter(clientRowId: number): void {
    const ofClient = this.#ofClient.get(clientRowId) ?? 0;
    if (ofClient >= MOST_PER_CLIENT) throw tooMany(`${MOST_PER_CLIENT} of this client are`);
    if (this.#inFlight >= MOST_IN_ALL) throw tooMany(`${MOST_IN_ALL} of all clients are`);
    this.#ofClient.set(clientRowId, ofClient + 1);
    this.#inFlight += 1;
  }

  #leave(clientRowId: number): void {
    const ofClient = this.#ofClient.get(clientRowId)! - 1;
    if (ofClient === 0) this.#ofClient.delete(clientRowId);
    else this.#ofClient.set(clientRowId, ofClient);
    this.#inFlight -= 1;
  }
}

function tooMany(whose: string): PunctualError {
  return new PunctualError(
    'too_many_tries',
    `Too many schedules are being tried: ${whose}, and one more can be tried when one has ended.`,
  );
}
