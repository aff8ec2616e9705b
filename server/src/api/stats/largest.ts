import type { ScheduleGroup } from '../../store/contract/stats.ts';
import type { YieldTurn } from '../http/slices.ts';

/** Looked at again and again whether to give way: a step of work is this many groups. */
const STEP = 4_096;

/**
 * The `most` groups of the most schedules, and how many schedules are in the rest. In steps: sorting a
 * million groups would hold up everything for a second.
 *
 * @param pause looked at between two steps
 */
export async function largest(
  groups: ScheduleGroup[],
  most: number,
  pause: YieldTurn,
): Promise<{ counted: ScheduleGroup[]; uncounted: number }> {
  if (groups.length <= most) return { counted: groups, uncounted: 0 };
  const sizes = new Map<number, number>();
  for (const [index, { count }] of groups.entries()) {
    sizes.set(count, (sizes.get(count) ?? 0) + 1);
    if (index % STEP === 0 && pause.isOver) await pause.next();
  }
  const { least, ofLeast } = bound(sizes, most);
  const counted: ScheduleGroup[] = [];
  let [uncounted, left] = [0, ofLeast];
  for (const [index, group] of groups.entries()) {
    const isIn = group.count > least || (group.count === least && left-- > 0);
    if (isIn) counted.push(group);
    else uncounted += group.count;
    if (index % STEP === 0 && pause.isOver) await pause.next();
  }
  return { counted, uncounted };
}

/** The size from which on groups are in, and how many of just this size. */
function bound(sizes: Map<number, number>, most: number): { least: number; ofLeast: number } {
  let room = most;
  for (const size of [...sizes.keys()].sort((a, b) => b - a)) {
    const groups = sizes.get(size)!;
    if (groups >= room) return { least: size, ofLeast: room };
    room -= groups;
  }
  return { least: 0, ofLeast: 0 };
}
