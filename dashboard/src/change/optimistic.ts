import type { Schedule } from '@punctual/client';
import { type QueryClient, replaceEqualDeep } from '@tanstack/react-query';
import { type PendingChange, schedulesIn, withChanges } from './pending.ts';

/** The changes that are shown at once, over all cached answers and all that arrive meanwhile. */

let changes: PendingChange[] = [];
/** Answers as they came, by the answers that are shown instead. */
const originals = new WeakMap<object, unknown>();

/** Every answer goes through this before the page sees it (`structuralSharing` of its queries). */
export function withPending(before: unknown, answer: unknown): unknown {
  return remembered(answer, replaceEqualDeep(before, withChanges(answer, changes)));
}

function remembered(answer: unknown, shown: unknown): unknown {
  if (typeof shown === 'object' && shown !== null) originals.set(shown, answer);
  return shown;
}

export interface Shown {
  /** It is made, for these: it holds from here on, and not only until the next answer. */
  settle: (ids: readonly string[]) => void;
  /** It is not made. */
  drop: () => void;
}

/** Shows changes at once, until they are settled or dropped. */
export function showPending(queries: QueryClient, shown: PendingChange[]): Shown {
  const drop = (made: PendingChange[] = []) => {
    changes = changes.filter(change => !shown.includes(change));
    repaint(queries, made);
  };
  changes = [...changes, ...shown];
  repaint(queries, []);
  return {
    settle: ids =>
      drop(shown.map(change => ({ ...change, ids: change.ids.intersection(new Set(ids)) }))),
    drop: () => drop(),
  };
}

function repaint(queries: QueryClient, made: PendingChange[]): void {
  for (const query of queries.getQueryCache().getAll()) {
    const shown: unknown = query.state.data;
    if (typeof shown !== 'object' || shown === null) continue;
    const answer = withChanges(originals.get(shown) ?? shown, made);
    const next = remembered(answer, replaceEqualDeep(shown, withChanges(answer, changes)));
    if (next !== shown) query.setState({ data: next });
  }
}

/**
 * All schedules that the page has seen lately, by their ids, as they are shown. An answer that was asked for on another
 * page may be older: of each schedule this is the newest version.
 */
export function knownSchedules(queries: QueryClient): Map<string, Schedule> {
  const known = new Map<string, Schedule>();
  for (const { state } of queries.getQueryCache().getAll()) {
    for (const [id, schedule] of schedulesIn(state.data)) {
      const other = known.get(id);
      if (other === undefined || versionOf(schedule) >= versionOf(other)) known.set(id, schedule);
    }
  }
  return known;
}

/** It moves with every change. */
function versionOf({ createdAt, updatedAt = createdAt }: Schedule): string {
  return updatedAt;
}
