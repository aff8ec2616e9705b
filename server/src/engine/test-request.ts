import type { Clock } from '../clock.ts';
import type { SigningSecrets } from '../domain/access/rotation.ts';
import { PunctualError } from '../domain/errors.ts';
import { newId, runId } from '../domain/id.ts';
import type { Attempt } from '../domain/run/run.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import { type TemplateFacts, templateFactsOf } from '../domain/schedule/template/names.ts';
import { rendered } from '../domain/schedule/template/render.ts';
import { runRequest } from '../outbound/request.ts';
import { attemptOf, type OutboundRequest, type Send, type SendResult } from '../outbound/send.ts';
import type { Identities } from './identity/identities.ts';
import { sendAs } from './identity/send-as.ts';

/** Somebody waits for the answer. */
const MOST_MS = 30_000;
/** Test requests in flight, of one client and in all. They are no firings, and take none of their places. */
const MOST_PER_CLIENT = 10;
const MOST_IN_ALL = 100;

export interface TestRequestOptions {
  send: Send;
  clock: Clock;
  /** Of destinations. */
  identities: Pick<Identities, 'load' | 'of'>;
}

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
  readonly #identities: Pick<Identities, 'load' | 'of'>;
  readonly #ofClient = new Map<number, number>();
  #inFlight = 0;

  constructor({ send, clock, identities }: TestRequestOptions) {
    this.#send = send;
    this.#clock = clock;
    this.#identities = identities;
  }

  /** @throws PunctualError `too_many_tries` where the client, or all together, have as many in flight as may be */
  async try(schedule: Schedule, { clientRowId, secrets }: TryRequester): Promise<Attempt> {
    this.#enter(clientRowId);
    try {
      const nowMs = this.#clock.now();
      const facts = { runId: runId(newId(nowMs), nowMs), scheduledFor: nowMs, attempt: 1, nowMs };
      const shown = { ...schedule, policy: { ...schedule.policy, keepResponse: 'all' as const } };
      const request = runRequest({ ...renderedAt(shown, facts), ...(await secrets()) }, facts);
      request.timeoutMs = Math.min(request.timeoutMs, MOST_MS);
      request.clientRowId = clientRowId;
      const result = await this.#sendAs(schedule, clientRowId, request);
      return attemptOf(1, result, request.success);
    } finally {
      this.#leave(clientRowId);
    }
  }

  /** Through its destination, if it names one. */
  async #sendAs(
    schedule: Schedule,
    clientRowId: number,
    request: OutboundRequest,
  ): Promise<SendResult> {
    const name = schedule.delivery?.destination;
    if (name === undefined) return this.#send(request);
    await this.#identities.load([{ clientRowId, schedule }]);
    const identity = this.#identities.of(schedule);
    const build = () => request;
    const through = { send: this.#send, clock: this.#clock };
    return sendAs({ identity, name, request, build }, through);
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

/** As a firing that has no run before it. */
function renderedAt(
  schedule: Schedule,
  run: Pick<TemplateFacts, 'runId' | 'scheduledFor' | 'attempt'>,
): Schedule {
  if (schedule.policy?.template !== true) return schedule;
  return rendered(schedule, templateFactsOf(schedule, { ...run, trigger: 'schedule' }));
}

function tooMany(whose: string): PunctualError {
  return new PunctualError(
    'too_many_tries',
    `Too many schedules are being tried: ${whose}, and one more can be tried when one has ended.`,
  );
}
