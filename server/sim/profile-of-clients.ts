import { Random } from './random.ts';

/** What happens to the clients of a world that has several. */

export type ClientChange =
  | { name: 'suspend'; forMs: number }
  /** The command may be cut off after so long; it is given again. */
  | { name: 'delete'; cutOffMs: number | null }
  | {
      name: 'rotate';
      /** Absent: as long as is usual. */
      overlapSeconds?: number;
      replaceNew: boolean;
      /** A command beside the service, and not a call of it. */
      byCommand: boolean;
      endsOverlapAfterMs: number | null;
    };

/** How many there are: several where nothing is played that no rule has judged beside them. */
export function clientsIn({ faults, clients }: { faults: string[]; clients: number }): number {
  const isOn = faults.includes('clients') || faults.includes('crowd');
  return isAlone(faults) && isOn ? clients : 1;
}

export function hasCrowd({ faults }: { faults: string[] }): boolean {
  return isAlone(faults) && faults.includes('crowd');
}

/** Nodes, clocks that are set, hours, and what changes times by itself. */
const NOT_BESIDE = ['step', 'suspend', 'long', 'destinations', 'calendars', 'steered'];

/** What is off where several clients are asked for: they would not be played. */
export function apartFrom(faults: readonly string[]): Record<string, 0> {
  const isAsked = faults.includes('clients') || faults.includes('crowd');
  return isAsked ? Object.fromEntries(NOT_BESIDE.map(name => [name, 0])) : {};
}

function isAlone(faults: string[]): boolean {
  return NOT_BESIDE.every(name => !faults.includes(name));
}

export function clientCountOf(seed: number): number {
  return new Random(seed, 'client count').whole(2, 4);
}

export interface ClientAction {
  at: number;
  kind: 'client';
  which: number;
  change: ClientChange;
}

export function clientActionAt(at: number, random: Random): ClientAction {
  const which = random.next();
  const drawn = random.next();
  const change =
    drawn < 0.45 ? suspension(random) : drawn < 0.55 ? deletion(random) : rotation(random);
  return { kind: 'client', at, which, change };
}

function suspension(random: Random): ClientChange {
  const forMs = random.chance(0.3) ? random.between(10, 5_000) : random.between(5_000, 20_000);
  return { name: 'suspend', forMs };
}

function deletion(random: Random): ClientChange {
  return { name: 'delete', cutOffMs: random.chance(0.5) ? random.between(0.1, 4) : null };
}

function rotation(random: Random): ClientChange {
  const overlap = random.pick([0, 1, 2, 5, 10, undefined]);
  return {
    name: 'rotate',
    ...(overlap !== undefined && { overlapSeconds: overlap }),
    replaceNew: random.chance(0.4),
    byCommand: random.chance(0.25),
    endsOverlapAfterMs: random.chance(0.25) ? random.between(100, 4_000) : null,
  };
}
