import type { Clock } from '../../clock.ts';
import type { FigureStore, ScheduleGroup } from '../../store/figures.ts';
import { KeptCounts } from './kept.ts';

/**
 * A client's schedules in groups of the same times and host. Many schedules share few intervals, so
 * what is worked out from them costs the groups and not the schedules. To count a million takes the
 * store seconds.
 */
export type Groups = KeptCounts<ScheduleGroup[]>;

const LONG_MS = 100;

export function keptGroups(figures: FigureStore, clock: Clock): Groups {
  return new KeptCounts(clientKey => figures.groups(clientKey), clock, LONG_MS);
}
