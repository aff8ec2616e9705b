import { SIGNED_FOR_MS } from '../outbound/signature.ts';
import type { Ticket } from '../outbound/ticket.ts';

export interface Flight<Claim> {
  id: string;
  claim: Claim;
  ticket: Ticket;
  /** Since when, epoch ms, it waits as it was signed; null while that is still to come. */
  signedAt: number | null;
}

/** How often to look for requests that have waited for a connection for too long. */
const LOOK_FOR_STALE_MS = 1_000;

/** Where a flight stands until it has ended. A map goes on naming in its old tables what has left it. */
interface Berth<One> {
  flight: One | null;
}

/** What is claimed and has not ended, each with the ticket of its request. */
export class Flights<Claim, One extends Flight<Claim> = Flight<Claim>> {
  readonly #open = new Map<string, Berth<One>>();
  readonly #cancelled: (flight: One) => void;
  #grounded = false;
  #lookedForStaleAt = Number.NEGATIVE_INFINITY;
  /** What was called back while claims were on their way here. */
  #recalls: ((id: string, claim: Claim) => boolean)[] = [];
  #onEmpty = () => {};

  /** @param cancelled told of each that is called back */
  constructor(cancelled: (flight: One) => void = () => {}) {
    this.#cancelled = cancelled;
  }

  get size(): number {
    return this.#open.size;
  }

  get claims(): Claim[] {
    return this.#flights.map(({ claim }) => claim);
  }

  find(id: string): One | undefined {
    return this.#open.get(id)?.flight ?? undefined;
  }

  /** Claims are asked for: what is called back from here on may be among them. */
  expect(): void {
    this.#recalls = [];
  }

  /**
   * One that is here still, of the same, was taken over and claimed anew: it does not start any more.
   *
   * @returns false where it was called back on its way here
   */
  begin(flight: One): boolean {
    const { id, claim, ticket } = flight;
    const before = this.find(id);
    if (before) this.#cancel(before);
    this.#open.set(id, { flight });
    const isRecalled = this.#grounded || this.#recalls.some(isMeant => isMeant(id, claim));
    if (isRecalled) ticket.cancel();
    return !isRecalled;
  }

  /** Where the same was claimed anew in the meantime, that one flies on. */
  end(flight: One): void {
    const berth = this.#open.get(flight.id);
    if (berth?.flight === flight) {
      berth.flight = null;
      this.#open.delete(flight.id);
    }
    if (this.#open.size === 0) this.#onEmpty();
  }

  /** Its request, if it has not started, will not. */
  cancel(id: string): void {
    this.#recalls.push(other => other === id);
    const flight = this.find(id);
    if (flight) this.#cancel(flight);
  }

  cancelWhere(isMeant: (claim: Claim) => boolean): void {
    this.#recalls.push((_id, claim) => isMeant(claim));
    for (const flight of this.#flights) if (isMeant(flight.claim)) this.#cancel(flight);
  }

  /** What has waited for a connection for so long is claimed anew, and signed anew with it. Looks once a second. */
  callBackStale(now: number): void {
    if (Math.abs(now - this.#lookedForStaleAt) < LOOK_FOR_STALE_MS) return;
    this.#lookedForStaleAt = now;
    const before = now - SIGNED_FOR_MS;
    for (const flight of this.#flights) {
      if (flight.signedAt !== null && flight.signedAt < before) this.#cancel(flight);
    }
  }

  /** No request starts any more. @returns when all have ended */
  async ground(): Promise<void> {
    this.#grounded = true;
    this.cancelWhere(() => true);
    if (this.#open.size === 0) return;
    await new Promise<void>(resolve => {
      this.#onEmpty = resolve;
    });
  }

  get #flights(): One[] {
    return Array.from(this.#open.values(), ({ flight }) => flight!);
  }

  #cancel(flight: One): void {
    flight.ticket.cancel();
    this.#cancelled(flight);
  }
}
