import { type Term, Ticket } from '../outbound/ticket.ts';

interface Flight<Claim> {
  claim: Claim;
  ticket: Ticket;
}

/** What is claimed and has not ended, each with the ticket of its request. */
export class Flights<Claim> {
  readonly #open = new Map<string, Flight<Claim>>();
  readonly #term: Term | undefined;
  #grounded = false;
  /** What was called back while claims were on their way here. */
  #recalls: ((id: string, claim: Claim) => boolean)[] = [];
  #onEmpty = () => {};

  /** @param term how long claims are held, where they have leases */
  constructor(term: Term | undefined) {
    this.#term = term;
  }

  get size(): number {
    return this.#open.size;
  }

  get claims(): Claim[] {
    return [...this.#open.values()].map(({ claim }) => claim);
  }

  /** Claims are asked for: what is called back from here on may be among them. */
  expect(): void {
    this.#recalls = [];
  }

  /** @returns the ticket for its request */
  begin(id: string, claim: Claim): Ticket {
    const ticket = new Ticket(this.#term);
    if (this.#grounded || this.#recalls.some(isMeant => isMeant(id, claim))) ticket.cancel();
    this.#open.set(id, { claim, ticket });
    return ticket;
  }

  /** Where the same was claimed anew in the meantime, that one flies on. */
  end(id: string, claim: Claim): void {
    if (this.#open.get(id)?.claim === claim) this.#open.delete(id);
    if (this.#open.size === 0) this.#onEmpty();
  }

  /** Its request, if it has not started, will not. */
  cancel(id: string): void {
    this.#recalls.push(other => other === id);
    this.#open.get(id)?.ticket.cancel();
  }

  cancelWhere(isMeant: (claim: Claim) => boolean): void {
    this.#recalls.push((_id, claim) => isMeant(claim));
    for (const { claim, ticket } of this.#open.values()) if (isMeant(claim)) ticket.cancel();
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
}
