import type { ListedRuns, RunFilter } from './contract/runs.ts';
import { comparePositions, type PositionedRun, type RunPosition } from './rows/runs.ts';

/**
 * Runs by the tags of their schedules, as these are now; a deleted schedule keeps its tags.
 *
 * - If few schedules have the tags, the runs of each are read, and merged.
 * - If many have them, or few runs have the status, runs are read newest first, as they are without a tag. Such a look is
 *   bounded: it returns the id at which the next one goes on.
 */

/** Schedules whose runs are read one by one, at most. */
const FEW = 20;
/** Runs that one look reads, at most. */
const LOOKED_AT = 2_000;

/** How a backend finds the runs and the schedules of one client. */
export interface TaggedLook {
  /** As `RunStore.list`, with the positions. */
  page(filter: RunFilter, limit: number, before: RunPosition): Promise<PositionedRun[]>;
  /** The row ids of schedules with this tag, `limit` at most. */
  tagged(tag: string, limit: number): Promise<number[]>;
  /** Those of these schedules that have all tags: their ids by their row ids. */
  having(scheduleRowIds: number[], tags: string[]): Promise<Map<number, string>>;
}

export async function listTagged(
  look: TaggedLook,
  { tags, ...filter }: RunFilter & { tags: string[] },
  limit: number,
  before: RunPosition,
): Promise<ListedRuns> {
  const few = isByTime(filter) ? await fewHaving(look, tags) : null;
  if (few !== null) return ofFew(look, filter, few, limit, before);
  const isOfOne = filter.scheduleId !== undefined;
  const most = isOfOne ? limit : LOOKED_AT;
  const page = await look.page(filter, most, before);
  const keys = new Set(page.map(({ position }) => position.scheduleRowId));
  const having = await look.having([...keys], tags);
  const runs = page.filter(({ position }) => having.has(position.scheduleRowId)).slice(0, limit);
  const isAtEnd = isOfOne || page.length < most || runs.length === limit;
  return listed(runs, isAtEnd ? null : page.at(-1)!.view.id);
}

/** Whether most runs of a schedule are in the list: to find few failed ones, all of a schedule's would be read. */
function isByTime({ scheduleId, status }: RunFilter): boolean {
  return scheduleId === undefined && (status === undefined || status === 'succeeded');
}

/** @returns the ids of the schedules that have all tags; null where there may be many */
async function fewHaving(look: TaggedLook, tags: string[]): Promise<string[] | null> {
  for (const tag of tags) {
    const keys = await look.tagged(tag, FEW + 1);
    if (keys.length <= FEW) return [...(await look.having(keys, tags)).values()];
  }
  return null;
}

async function ofFew(
  look: TaggedLook,
  filter: RunFilter,
  scheduleIds: string[],
  limit: number,
  before: RunPosition,
): Promise<ListedRuns> {
  const runs: PositionedRun[] = [];
  for (const scheduleId of scheduleIds) {
    runs.push(...(await look.page({ ...filter, scheduleId }, limit, before)));
  }
  runs.sort((a, b) => comparePositions(b.position, a.position));
  return listed(runs.slice(0, limit), null);
}

function listed(runs: PositionedRun[], next: string | null): ListedRuns {
  return { runs: runs.map(({ view }) => view), next };
}
