import { type Call, type CallOptions, type ClientOptions, Transport } from '../transport.ts';

/** Of calls that make something. */
export interface KeyedOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters, sent as `Idempotency-Key`. A call that carries one is repeated as a read
   * is: within 24 hours the same call makes nothing again, and is answered with what the first one made.
   */
  idempotencyKey?: string;
}

export interface ChangeOptions extends CallOptions {
  /** The ETag of the version that is changed: where the schedule is another one by now, it is a 412. */
  ifMatch?: string;
}

/** Items of a page where an iterator asks for them: the most that the service gives. */
export const PAGE_ITEMS = 100;

/** Sends the operations of all rooms. */
export class Operations {
  readonly #transport: Transport;

  /** @throws TypeError, RangeError with a sentence, where the options cannot work */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  protected get transport(): Transport {
    return this.#transport;
  }

  protected read<Answer>(operation: string, path: string, options: CallOptions): Promise<Answer> {
    return this.send({ operation, method: 'GET', path }, options);
  }

  protected change<Answer>(call: Call, { ifMatch, ...options }: ChangeOptions): Promise<Answer> {
    const headers = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
    return this.send({ ...call, headers: { ...call.headers, ...headers } }, options);
  }

  protected async send<Answer>(call: Call, options: CallOptions): Promise<Answer> {
    return (await this.#transport.send<Answer>(call, options)).answer;
  }
}

/** A query as the end of a path: `?limit=20`, or ''. */
export function textOf(query: object): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    // A list is a parameter that comes several times.
    .flatMap(([name, value]) => [value].flat().map(each => [name, String(each)]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

/** Items of one page after the other; the next one is asked for when it is needed. */
export async function* itemsOf<Item>(
  ask: (cursor: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: { cursor?: string } = {};
  for (;;) {
    const { items, nextCursor } = await ask(cursor);
    yield* items;
    if (nextCursor === undefined) return;
    cursor = { cursor: nextCursor };
  }
}
