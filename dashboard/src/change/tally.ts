/** One action on many schedules: which were done, and which were refused, and why. */

export interface Tally {
  done: string[];
  refused: Refusal[];
}

export interface Refusal {
  id: string;
  error: unknown;
}

/** A whole request was refused. */
export function allRefused(ids: Iterable<string>, error: unknown): Tally {
  return { done: [], refused: Array.from(ids, id => ({ id, error })) };
}

export function added(one: Tally, other: Tally): Tally {
  return { done: [...one.done, ...other.done], refused: [...one.refused, ...other.refused] };
}

/** The end of the last request about each schedule: the next one about it leaves after that. */
const lastOf = new Map<string, Promise<unknown>>();

/**
 * Does the same for each id. Requests about one schedule leave in the order in which they were asked for.
 *
 * @param atOnce requests under way at most
 * @param signal ends it: ids that have not begun are left out of the tally
 */
export async function forEachId(
  ids: readonly string[],
  work: (id: string) => Promise<unknown>,
  { atOnce, signal }: { atOnce: number; signal?: AbortSignal },
): Promise<Tally> {
  const left = [...ids];
  const tally: Tally = { done: [], refused: [] };
  const worker = async () => {
    for (let id = left.shift(); id !== undefined && !signal?.aborted; id = left.shift()) {
      try {
        await inTurn(id, work);
        tally.done.push(id);
      } catch (error) {
        tally.refused.push({ id, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, worker));
  return tally;
}

function inTurn(id: string, work: (id: string) => Promise<unknown>): Promise<unknown> {
  const before = lastOf.get(id);
  const mine = before === undefined ? work(id) : before.then(() => work(id));
  const end = mine.catch(() => {}).finally(() => lastOf.get(id) === end && lastOf.delete(id));
  lastOf.set(id, end);
  return mine;
}

/** This number of names stands in a message; the others are counted. */
const MOST_NAMES = 3;

/**
 * Says exactly what was not done: the schedules by name, and why, once for each reason.
 *
 * @param word such as `paused`
 */
export function refusalText(
  refused: readonly Refusal[],
  word: string,
  nameOf: (id: string) => string,
  sentenceOf: (error: unknown) => string,
): string {
  const byReason = Map.groupBy(refused, ({ error }) => sentenceOf(error));
  return Array.from(byReason, ([sentence, those]) => {
    const names = those.slice(0, MOST_NAMES).map(({ id }) => nameOf(id));
    const more = those.length - names.length;
    const rest = more > 0 ? ` and ${more} more` : '';
    const verb = those.length === 1 ? 'was' : 'were';
    return `${names.join(', ')}${rest} ${verb} not ${word}. ${sentence}`;
  }).join(' ');
}
