import type { SchedulePatch } from '@punctual/client';
import type { Random } from './random.ts';

/** Two changes that callers ask for at once. */
export interface Race {
  /** Null: the schedule is deleted. */
  changes: [SchedulePatch | null, SchedulePatch | null];
  apartMs: number;
  /** Both name the version that was there before them. */
  namesVersion: boolean;
}

export function raceOf(random: Random, edit: () => SchedulePatch | null): Race {
  const changes: Race['changes'] = [edit(), edit()];
  if (random.chance(0.1)) changes[random.chance(0.5) ? 0 : 1] = null;
  const apartMs = random.chance(0.3) ? 0 : random.between(0, random.pick([0.5, 2, 10, 50]));
  return { changes, apartMs, namesVersion: random.chance(0.4) };
}
