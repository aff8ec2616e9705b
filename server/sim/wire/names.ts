import type { Machine, Owner } from '../machine.ts';
import type { Random } from '../random.ts';

export interface NamesOptions {
  machine: Machine;
  random: Random;
  /** Of a slow name server. */
  slowestMs: number;
  isGentle(): boolean;
}

/** None of them may be called. */
const PRIVATE = ['10.0.7.1', '127.0.0.1', '169.254.169.254', 'fd00::7'];

/** The name servers: some answers are slow, wrong, or lead to where nobody may go. */
export class Names {
  readonly #around: NamesOptions;
  /** Names whose last answer had two addresses that may be called. */
  readonly #twofold = new Set<string>();
  /** When each name was looked up: from, to. */
  readonly #lookups = new Map<string, { fromMs: number; toMs: number }[]>();

  constructor(around: NamesOptions) {
    this.#around = around;
  }

  async resolve(host: string, wire: Owner): Promise<string[]> {
    const { machine, random } = this.#around;
    const lookup = { fromMs: machine.monotonicMs, toMs: Number.POSITIVE_INFINITY };
    this.#lookups.set(host, [...(this.#lookups.get(host) ?? []), lookup]);
    const answer = this.#answer(host);
    await machine.sleep(random.between(0.1, 2) + answer.slowMs, wire);
    lookup.toMs = machine.monotonicMs;
    if (answer.addresses.filter(isPublic).length > 1) this.#twofold.add(host);
    else this.#twofold.delete(host);
    if (answer.code === undefined) return answer.addresses;
    throw Object.assign(new Error(answer.code), { code: answer.code });
  }

  isTwofold(host: string): boolean {
    return this.#twofold.has(host);
  }

  /** Whether the name was being looked up then. */
  wasAsked(host: string, atMs: number): boolean {
    const lookups = this.#lookups.get(host) ?? [];
    return lookups.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs);
  }

  #answer(host: string): { addresses: string[]; slowMs: number; code?: string } {
    const { random, slowestMs } = this.#around;
    const [first, second] = [addressOf(host, 1), addressOf(host, 2)];
    const drawn = random.next();
    const hidden = random.pick(PRIVATE);
    const slowMs = random.chance(0.02) ? random.between(20, slowestMs) : 0;
    if (this.#around.isGentle()) return { addresses: [first], slowMs: 0 };
    if (drawn < 0.01) return { addresses: [], slowMs, code: 'ENOTFOUND' };
    if (drawn < 0.02) return { addresses: [], slowMs, code: 'EAI_AGAIN' };
    if (drawn < 0.025) return { addresses: [hidden], slowMs };
    if (drawn < 0.1) return { addresses: [hidden, first], slowMs };
    if (drawn < 0.3) return { addresses: [first, second, hidden], slowMs };
    return { addresses: [first], slowMs };
  }
}

export function isPublic(address: string): boolean {
  return !PRIVATE.includes(address);
}

export function isSecond(address: string): boolean {
  return address.startsWith('23.2.');
}

/** A public one. */
function addressOf(host: string, number: number): string {
  const sum = [...host].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 60_000, 7);
  return `23.${number}.${sum >> 8}.${sum & 255}`;
}
