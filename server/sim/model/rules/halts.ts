import type { Evidence } from '../evidence.ts';
import type { ClientSeen } from '../evidence-of-clients.ts';
import type { Window } from './cuts.ts';

/** A span in which nothing of a client starts: it was suspended, or is deleted. */
export interface Halt {
  /** When that was asked for, and when it was written. */
  from: number;
  by: number;
  /** From then on every engine knows of it. */
  knownFrom: number;
  /** Until it was asked to end; Infinity: it does not. */
  knownUntil: number;
  /** By then all goes on. */
  to: number;
}

/** An engine asks every 2 s who is suspended. */
const ASKED_MS = 2_500;
/** It brings rows back then, and each is due a second later. */
const BACK_MS = 5_000;

/** By the id of the client. @param down when nobody could look */
export function haltsOf({ clients = [] }: Evidence, down: Window[]): Map<string, Halt[]> {
  return new Map(clients.map(client => [client.id, ofClient(client, down)]));
}

function ofClient({ suspensions, deletion }: ClientSeen, down: Window[]): Halt[] {
  const halts = suspensions.map(({ from, by, until, backBy }) => ({
    from,
    by,
    knownFrom: looksBy(by + ASKED_MS, by, down),
    knownUntil: until,
    to: looksBy(backBy + BACK_MS, backBy, down),
  }));
  if (deletion === null) return halts;
  const { from } = deletion;
  const ends = halts.map(halt => ({ ...halt, knownUntil: Math.min(halt.knownUntil, from) }));
  const by = from + ASKED_MS;
  const knownFrom = looksBy(by, from, down);
  const forGood = { from, by, knownFrom, knownUntil: Infinity, to: Infinity };
  return [...ends, forGood];
}

interface Tried {
  attempts: { startedAt: number; outcome: string }[];
}

export type KnownHalt = Pick<Halt, 'knownFrom' | 'knownUntil'>;

export function isKnown({ knownFrom, knownUntil }: KnownHalt, at: number): boolean {
  return at > knownFrom && at < knownUntil;
}

/** When requests of the run, and of its callbacks, started in one of these halts; those that were cut off may not have. */
export function startsIn<Each extends KnownHalt>(
  { attempts, callbacks }: Tried & { callbacks: Tried[] },
  halts: Each[],
): { startedAt: number; halt: Each }[] {
  const all = [...attempts, ...callbacks.flatMap(callback => callback.attempts)];
  return all.flatMap(({ startedAt, outcome }) => {
    const halt = halts.find(each => isKnown(each, startedAt));
    return halt === undefined || outcome === 'lost' ? [] : [{ startedAt, halt }];
  });
}

/** When an engine has seen what was written at an instant, and would have by `by` if nothing had stood still. */
export function looksBy(soonest: number, instant: number, down: Window[]): number {
  let by = soonest;
  for (const { from, to } of down.toSorted((a, b) => a.from - b.from))
    if (from <= by && to > instant) by += to - Math.max(from, instant);
  return by;
}

/** What a missed time says of the suspension of its client: that it passed meanwhile, or waited as it began. Or nothing. */
export function haltIn(reason = ''): 'while' | 'before' | null {
  const [, when] = /^It passed (while|before) the client was suspended, /.exec(reason) ?? [];
  return (when as 'while' | 'before' | undefined) ?? null;
}
