import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { PunctualError } from '../domain/errors.ts';
import { IDEMPOTENCY_KEPT_MS } from '../domain/idempotency.ts';
import type {
  IdempotencyStore,
  IdempotentCall,
  IdempotentRecord,
} from '../store/contract/idempotency.ts';
import { callerOf } from './access/authenticate.ts';

/** How a call that makes something is answered. */
export interface ReplayedCall<Answer> {
  /** @returns null if a call with this key was faster: then nothing is made */
  make(call?: IdempotentCall): Promise<Answer | null>;
  /** Answers the present state of these, which the call made before. */
  replay(ids: string[]): Promise<Answer>;
}

/** The header by which a caller says that two calls are one. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
const REPLAYED = 'Idempotent-Replayed';

/**
 * Call replayer: the same call again with its `Idempotency-Key` makes nothing, and is answered with what the first one made.
 *
 * Guarantee: the record of a call is written in the transaction of what it makes. So a call whose answer was lost is
 * replayed, and a call that was refused leaves nothing. Of calls that race over several nodes the store lets one make it.
 */
export class CallReplayer {
  readonly #records: Pick<IdempotencyStore, 'find'>;
  readonly #clock: Clock;
  /** The fingerprints of calls under way in this process, by client and key. */
  readonly #underWay = new Map<string, string>();

  constructor(records: Pick<IdempotencyStore, 'find'>, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** @throws PunctualError `request_invalid`, `idempotency_conflict`, `idempotency_mismatch`, and what `make` throws */
  answer<Answer>(
    request: FastifyRequest,
    reply: FastifyReply,
    making: ReplayedCall<Answer>,
  ): Promise<Answer> {
    const header = request.headers['idempotency-key'];
    // Without a key nobody can be faster. It costs no promise.
    if (header === undefined) return making.make() as Promise<Answer>;
    return this.#answerKeyed(String(header), request, reply, making);
  }

  async #answerKeyed<Answer>(
    header: string,
    request: FastifyRequest,
    reply: FastifyReply,
    making: ReplayedCall<Answer>,
  ): Promise<Answer> {
    const key = readKey(header);
    const { clientRowId } = callerOf(request);
    const fingerprint = fingerprintOf(request);
    const call = { clientRowId, key, fingerprint, reply, making };
    // Before it is marked as under way: replays do not refuse each other.
    const before = await this.#replayed(call);
    if (before !== null) return before.answer;
    const place = `${clientRowId}\n${key}`;
    this.#refuseUnderWay(place, fingerprint, reply);
    this.#underWay.set(place, fingerprint);
    try {
      return await this.#makeOnce(call);
    } finally {
      this.#underWay.delete(place);
    }
  }

  #refuseUnderWay(place: string, fingerprint: string, reply: FastifyReply): void {
    const underWay = this.#underWay.get(place);
    if (underWay === undefined) return;
    if (underWay !== fingerprint) throw otherRequest();
    reply.header('Retry-After', '1');
    throw new PunctualError(
      'idempotency_conflict',
      `The first call with this ${IDEMPOTENCY_KEY} goes on: send it again in a moment.`,
    );
  }

  async #makeOnce<Answer>(call: KeyedCall<Answer>): Promise<Answer> {
    const { key, fingerprint, making } = call;
    try {
      const made = await making.make({ key, fingerprint, at: this.#clock.now() });
      if (made !== null) return made;
    } catch (error) {
      // Another node may have been faster: then its external id is what is taken, or its run is one too many.
      const meanwhile = error instanceof PunctualError ? await this.#replayed(call) : null;
      if (meanwhile === null) throw error;
      return meanwhile.answer;
    }
    const meanwhile = await this.#replayed(call);
    if (meanwhile === null) throw new Error('The record of a call is gone within the call');
    return meanwhile.answer;
  }

  async #replayed<Answer>({ clientRowId, key, fingerprint, reply, making }: KeyedCall<Answer>) {
    const since = this.#clock.now() - IDEMPOTENCY_KEPT_MS;
    const record = await this.#records.find(clientRowId, key, since);
    if (record === null) return null;
    checkSame(record, fingerprint);
    reply.header(REPLAYED, 'true');
    return { answer: await making.replay(record.ids) };
  }
}

interface KeyedCall<Answer> {
  clientRowId: number;
  key: string;
  fingerprint: string;
  reply: FastifyReply;
  making: ReplayedCall<Answer>;
}

function checkSame(record: IdempotentRecord, fingerprint: string): void {
  if (record.fingerprint !== fingerprint) throw otherRequest();
}

function otherRequest(): PunctualError {
  return new PunctualError(
    'idempotency_mismatch',
    `This ${IDEMPOTENCY_KEY} was sent with another request: use another key for it.`,
  );
}

/** By what an endpoint is asked: its method, its path with its parameters, and the bytes of the body. */
function fingerprintOf({ method, routeOptions, params, bodyDigest = '' }: FastifyRequest): string {
  return hash('sha256', JSON.stringify([method, routeOptions.url, params, bodyDigest]));
}

/** @throws PunctualError `request_invalid` */
function readKey(header: string): string {
  const key = header.startsWith('"') ? unquoted(header) : header;
  if (PRINTABLE.test(key)) return key;
  throw new PunctualError(
    'request_invalid',
    `The header ${IDEMPOTENCY_KEY} must have 1 to 255 printable ASCII characters, in quotes or without.`,
  );
}

/** The text of a string of structured fields (RFC 9651, 3.3.3); empty where it is none. */
function unquoted(text: string): string {
  return QUOTED.test(text) ? text.slice(1, -1).replace(/\\(.)/g, '$1') : '';
}

const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/;
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;
