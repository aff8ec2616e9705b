import { oddsWith, type Profile, profileOf } from './profile.ts';
import type { Played } from './world.ts';

/** What is left of a world. */
export interface Cut {
  /** Numbers of the actions that happen, from 1 on; absent: all do. */
  only?: number[] | undefined;
  /** Of the schedules that are there from the beginning; absent: all are. */
  mixed?: number | undefined;
  planned?: number | undefined;
  unhealthy?: number | undefined;
  awaiting?: number | undefined;
  /** That are on, whatever their odds. */
  faults?: string[] | undefined;
  /** And these are off. */
  without?: string[] | undefined;
}

export type Play = (seed: number, profile?: Profile) => Promise<Played>;

/** More worlds than this are not tried for one failure. */
const MOST_TRIES = 150;

export function cutTo(
  seed: number,
  { only, mixed, planned, unhealthy, awaiting, faults = [], without }: Cut,
): Profile {
  const profile = profileOf(seed, oddsWith(faults, without));
  return {
    ...profile,
    mixed: Math.min(profile.mixed, mixed ?? Number.POSITIVE_INFINITY),
    planned: Math.min(profile.planned, planned ?? Number.POSITIVE_INFINITY),
    unhealthy: Math.min(profile.unhealthy, unhealthy ?? Number.POSITIVE_INFINITY),
    awaiting: Math.min(profile.awaiting, awaiting ?? Number.POSITIVE_INFINITY),
    actions: profile.actions.filter((_, index) => only === undefined || only.includes(index + 1)),
  };
}

/** Whatever a world breaks: a rule, or itself. */
export async function brokenBy(play: Play, seed: number, cut: Cut = {}): Promise<string[]> {
  try {
    const { violations } = await play(seed, cutTo(seed, cut));
    return violations.map(({ rule }) => rule);
  } catch (error) {
    return [(error as Error).name];
  }
}

/**
 * Takes away from a world that fails, by halves, what its failure does not need.
 *
 * @returns the smallest world found in which the same is broken
 */
export async function shrink(play: Play, seed: number, faults: string[] = []): Promise<Cut> {
  const [what] = await brokenBy(play, seed, { faults });
  const whole = profileOf(seed, oddsWith(faults));
  let tries = 0;
  const fails = async (cut: Cut) => {
    tries += 1;
    return tries <= MOST_TRIES && (await brokenBy(play, seed, cut)).includes(what!);
  };
  let cut = {
    faults,
    only: whole.actions.map((_, i) => i + 1),
    mixed: whole.mixed,
    planned: whole.planned,
    unhealthy: whole.unhealthy,
    awaiting: whole.awaiting,
  };
  const actions = (only: number[]) => fails({ ...cut, only });
  cut = { ...cut, only: await fewest(cut.only, actions) };
  cut = { ...cut, awaiting: await least(cut.awaiting, awaiting => fails({ ...cut, awaiting })) };
  cut = {
    ...cut,
    unhealthy: await least(cut.unhealthy, unhealthy => fails({ ...cut, unhealthy })),
  };
  cut = { ...cut, planned: await least(cut.planned, planned => fails({ ...cut, planned })) };
  cut = { ...cut, mixed: await least(cut.mixed, mixed => fails({ ...cut, mixed })) };
  return { ...cut, only: await fewest(cut.only, actions) };
}

async function fewest<Item>(
  items: Item[],
  fails: (items: Item[]) => Promise<boolean>,
): Promise<Item[]> {
  let left = items;
  for (let size = items.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length; ) {
      const fewer = left.toSpliced(at, size);
      if (await fails(fewer)) left = fewer;
      else at += size;
    }
  }
  return left;
}

/** The least number that fails, if all above it do. */
async function least(most: number, fails: (count: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await fails(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
