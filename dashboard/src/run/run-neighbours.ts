import type { Run, RunPage, RunQuery } from '@punctual/client';

/** The runs of a schedule right before and right behind another one, by their nominal times. */
export interface Neighbours {
  before?: string;
  after?: string;
}

type ListRuns = (query: RunQuery) => Promise<RunPage>;

const MOST_ITEMS = 100;
const MINUTE_MS = 60_000;
/** A list has no order from old to new: this number of looks finds the run behind among any number of them. */
const MOST_LOOKS = 40;

/** @param now epoch ms: runs that were asked for have times up to it */
export async function neighboursOf(
  list: ListRuns,
  { scheduleId, scheduledFor }: Pick<Run, 'scheduleId' | 'scheduledFor'>,
  now: number,
): Promise<Neighbours> {
  const { items } = await list({ scheduleId, to: scheduledFor, limit: 1 });
  const [before] = items;
  const at = Date.parse(scheduledFor);
  const gapMs = before === undefined ? MINUTE_MS : at - Date.parse(before.scheduledFor);
  const after = await firstAfter(list, scheduleId, at, { gapMs, now });
  return { ...(before && { before: before.id }), ...(after && { after: after.id }) };
}

/** Looks at a span behind the run, and makes it longer where it is empty, and shorter where it is too full. */
async function firstAfter(
  list: ListRuns,
  scheduleId: string,
  at: number,
  { gapMs, now }: { gapMs: number; now: number },
): Promise<Run | undefined> {
  // Runs may be claimed a second ahead of their time.
  const end = Math.max(now, at) + MINUTE_MS;
  const from = new Date(at + 1).toISOString();
  let empty = at + 1;
  let full = end;
  let to = Math.min(end, at + 1 + gapMs * 4);
  for (let look = 0; look < MOST_LOOKS && empty < full; look += 1) {
    const query = { scheduleId, from, to: new Date(to).toISOString(), limit: MOST_ITEMS };
    const { items, nextCursor } = await list(query);
    if (items.length > 0 && nextCursor === undefined) return items.at(-1);
    if (items.length > 0) full = to;
    else if (to >= end) return undefined;
    else empty = to;
    const longer = at + 1 + (to - at) * 8;
    to = items.length === 0 && longer < full ? longer : Math.ceil((empty + full) / 2);
    if (full === end && items.length === 0 && longer >= end) to = end;
  }
  return undefined;
}
