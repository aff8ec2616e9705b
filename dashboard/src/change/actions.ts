import { notifications } from '@mantine/notifications';
import type { PunctualClient, Schedule, ScheduleStatus } from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, orNone, queries, sentenceOf } from '../queries.ts';
import { CELL_FIRINGS, SCHEDULE_QUERIES } from '../query-keys.ts';
import { nameOf } from '../schedule/schedule-name.ts';
import { tagText } from '../schedule/schedule-state.ts';
import { shortTime, span } from '../time/times.ts';
import { knownSchedules } from './optimistic.ts';
import { added, allRefused, forEachId, refusalText, type Tally } from './tally.ts';
import { type Change, useUndoable } from './undo.ts';

/** A change that is on the screen as soon as it is asked for; `onSuccess` is called then. */
export interface Action<Asked> {
  mutate: (asked: Asked, then?: { onSuccess?: () => void }) => void;
  /** It keeps nobody waiting. */
  isPending: false;
}

const count = (many: number, one: string) => `${many} ${many === 1 ? one : `${one}s`}`;

function useAction<Asked>(act: (asked: Asked) => void): Action<Asked> {
  return {
    mutate(asked, then) {
      act(asked);
      then?.onSuccess?.();
    },
    isPending: false,
  };
}

type SetStatus = Extract<ScheduleStatus, 'enabled' | 'disabled'>;

export function useSetStatus(status: SetStatus): Action<string[]> {
  const undoable = useUndoable();
  return useAction(ids => {
    const known = knownSchedules(queries);
    const wasOther = (id: string) => known.get(id)?.status !== status;
    const undo = (done: readonly string[]) =>
      statusChange(done.filter(wasOther), status === 'enabled' ? 'disabled' : 'enabled');
    undoable({ ...statusChange(ids, status), undo });
  });
}

function statusChange(ids: readonly string[], status: SetStatus): Change {
  const word = status === 'enabled' ? 'resumed' : 'paused';
  return {
    ids,
    pending: [{ ids: new Set(ids), fields: { status, statusReason: undefined } }],
    word,
    said: many => `${count(many, 'schedule')} ${word}.`,
    send: sender => forEachId(ids, id => sender.api.patchSchedule(id, { status }), sender),
    touched: SCHEDULE_QUERIES,
  };
}

/** It is sent when nobody can undo it any more: a deleted schedule cannot be brought back. */
export function useDelete(): Action<string[]> {
  const undoable = useUndoable();
  return useAction(ids =>
    undoable({
      ids,
      pending: [{ ids: new Set(ids), fields: null }],
      word: 'deleted',
      said: many => `${count(many, 'schedule')} deleted.`,
      send: sender => forEachId(ids, id => orNone(sender.api.deleteSchedule(id)), sender),
      touched: SCHEDULE_QUERIES,
    }),
  );
}

/** At most this many schedules take one patch. */
const MOST_AT_ONCE = 1_000;
const PAGE_SIZE = 100;

type Field = 'pausedUntil' | 'windowSeconds';
type Value<Name extends Field> = NonNullable<Schedule[Name]> | null;

/**
 * One field of each of these schedules.
 *
 * @param values of the field, by the ids of the schedules
 */
function fieldChange<Name extends Field>(
  field: Name,
  values: ReadonlyMap<string, Value<Name>>,
  saying: Pick<Change, 'word' | 'said'>,
): Change {
  const ids = [...values.keys()];
  const groups = Array.from(
    Map.groupBy(ids, id => values.get(id)!),
    ([value, of]) => ({ value, of }),
  );
  return {
    ids,
    pending: groups.map(({ value, of }) => ({
      ids: new Set(of),
      fields: { [field]: value ?? undefined },
    })),
    ...saying,
    async send({ api, signal }) {
      let tally: Tally = { done: [], refused: [] };
      for (const { value, of } of groups) {
        for (let start = 0; start < of.length && !signal.aborted; start += MOST_AT_ONCE) {
          const part = of.slice(start, start + MOST_AT_ONCE);
          const patched = api.patchSchedules({ ids: part, patch: { [field]: value } }).then(
            ({ items }) => ({ done: items.map(({ id }) => id), refused: [] }),
            (error: unknown) => allRefused(part, error),
          );
          tally = added(tally, await patched);
        }
      }
      return tally;
    },
    touched: field === 'windowSeconds' ? [...SCHEDULE_QUERIES, CELL_FIRINGS] : SCHEDULE_QUERIES,
  };
}

/** The field of these schedules as the page knows it: what an undo goes back to. */
function valuesBefore<Name extends Field>(
  field: Name,
  ids: readonly string[],
  known: ReadonlyMap<string, Schedule>,
): Map<string, Value<Name>> {
  return new Map(ids.map(id => [id, (known.get(id)?.[field] as Value<Name> | undefined) ?? null]));
}

/** Schedules by their ids, or all with a tag. */
export interface Snooze {
  of: { ids: string[] } | { tag: string };
  /** ISO 8601; null: they go on now. */
  until: string | null;
}

export function useSnooze(): Action<Snooze> {
  const undoable = useUndoable();
  return useAction(({ of, until }) => {
    const known = knownSchedules(queries);
    const seen = 'ids' in of ? of.ids : idsWithTag(known, of.tag);
    const saying = {
      word: until === null ? 'woken up' : 'snoozed',
      said: (many: number) =>
        until === null
          ? `${count(many, 'schedule')} woken up.`
          : `${count(many, 'schedule')} paused until ${shortTime(until)}, your time.`,
    };
    const change = fieldChange('pausedUntil', new Map(seen.map(id => [id, until])), saying);
    const before = valuesBefore('pausedUntil', seen, known);
    undoable({
      ...change,
      send: sender =>
        'ids' in of ? change.send(sender) : snoozeTag(sender.api, of.tag, until, before),
      undo: done => {
        const back = new Map(done.map(id => [id, futureOf(before.get(id))]));
        return fieldChange('pausedUntil', back, { word: 'brought back', said: change.said });
      },
    });
  });
}

function idsWithTag(known: ReadonlyMap<string, Schedule>, tag: string): string[] {
  const isTagged = ({ tags = {} }: Schedule) =>
    Object.entries(tags).some(one => tagText(one) === tag);
  return [...known.values()].filter(isTagged).map(({ id }) => id);
}

/** All with a tag in one request. The page may not have seen all of them: they are read first, to undo it. */
async function snoozeTag(
  through: PunctualClient,
  tag: string,
  until: string | null,
  before: Map<string, string | null>,
): Promise<Tally> {
  for await (const { id, pausedUntil = null } of withTag(through, tag)) before.set(id, pausedUntil);
  const { items } = await through.patchSchedules({ tag, patch: { pausedUntil: until } });
  return { done: items.map(({ id }) => id), refused: [] };
}

async function* withTag(through: PunctualClient, tag: string): AsyncGenerator<Schedule> {
  let cursor: string | undefined;
  do {
    const query = { tag: [tag], limit: PAGE_SIZE, ...(cursor && { cursor }) };
    const { items, nextCursor } = await through.listSchedules(query);
    yield* items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/** A pause that would be over is none. */
function futureOf(pausedUntil: string | null | undefined): string | null {
  if (pausedUntil === null || pausedUntil === undefined) return null;
  return Date.parse(pausedUntil) > Date.now() ? pausedUntil : null;
}

/** `windowSeconds` null takes the window away. */
export function useSetWindow(): Action<{ ids: string[]; windowSeconds: number | null }> {
  const undoable = useUndoable();
  return useAction(({ ids, windowSeconds }) => {
    const saying = {
      word: 'spread',
      said: (many: number) =>
        windowSeconds === null
          ? `${count(many, 'schedule')} without a window again.`
          : `${count(many, 'schedule')} spread over ${span(windowSeconds * 1_000)}.`,
    };
    const before = valuesBefore('windowSeconds', ids, knownSchedules(queries));
    undoable({
      ...fieldChange('windowSeconds', new Map(ids.map(id => [id, windowSeconds])), saying),
      undo: done =>
        fieldChange('windowSeconds', new Map(done.map(id => [id, before.get(id) ?? null])), saying),
    });
  });
}

/** A rerun may send another request than before: the schedule may have changed since. */
export const AS_TODAY = 'Once per schedule, as the schedule is today.';

/** @param ids of schedules: each is run now, once, as it is today */
export function useSendAgain() {
  return useTrigger(many => `${count(many, 'run')} sent again.`, 'sent again');
}

export function useRunNow() {
  return useTrigger(() => 'It runs now.', 'started');
}

/** Requests under way at the same moment where one click asks for many. */
const AT_ONCE = 8;
let triggers = 0;

/** A request that has left cannot be taken back: its message says how far it is, and then what came of it. */
function useTrigger(said: (count: number) => string, word: string) {
  const cache = useQueryClient();
  const [id] = useState(() => `trigger-${++triggers}`);
  const say = (
    message: string,
    more: { color?: string; loading?: boolean; autoClose: number | false },
  ) => {
    notifications.hide(id);
    notifications.show({ id, message, color: 'gray', ...more });
  };
  return useMutation({
    mutationFn: async (ids: string[]) => {
      say(ids.length === 1 ? 'Asking for it…' : `Asking for ${ids.length}…`, {
        loading: true,
        autoClose: false,
      });
      const tally = await forEachId(ids, one => api.triggerSchedule(one), { atOnce: AT_ONCE });
      // If all failed, it is an ordinary error, such as an ended session.
      if (tally.done.length === 0 && tally.refused.length > 0) throw tally.refused[0]!.error;
      return tally;
    },
    onSuccess: ({ done, refused }) => {
      say(said(done.length), { autoClose: 4_000 });
      if (refused.length === 0) return;
      const known = knownSchedules(cache);
      const nameOfId = (one: string) => nameOf(known.get(one) ?? { label: one, url: '' });
      const message = refusalText(refused, word, nameOfId, sentenceOf);
      notifications.show({ message, color: 'red', autoClose: 10_000 });
    },
    onError: error => say(sentenceOf(error), { color: 'red', autoClose: 10_000 }),
    onSettled: () => {
      for (const name of ['runs', 'history', 'stats', 'health']) {
        void cache.invalidateQueries({ queryKey: [name] });
      }
    },
  });
}
