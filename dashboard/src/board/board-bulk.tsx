import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { Schedule, SchedulePatch, ScheduleQuery } from '@punctual/client';
import { useQueryClient } from '@tanstack/react-query';
import { useDelete } from '../change/actions.ts';
import { type Change, undoable } from '../change/undo.ts';
import { whole } from '../parts/numbers.ts';
import { api, sentenceOf } from '../queries.ts';
import { SCHEDULE_QUERIES } from '../query-keys.ts';
import { shortTime } from '../time/times.ts';
import { type BulkResult, type Progress, patchesBack, runBulk } from './bulk.ts';
import { totalText } from './health-words.ts';

/** Changes of all schedules that match a filter, with their progress, a way to stop them, and a way back. */

const PAGE_SIZE = 100;

interface BulkChange {
  patch: SchedulePatch;
  isToChange: (schedule: Schedule) => boolean;
  /** The field that an undo brings back. */
  field: 'status' | 'pausedUntil';
  /** Such as `paused`. */
  word: string;
}

let count = 0;

export function useBulk(filter: ScheduleQuery) {
  const cache = useQueryClient();
  const remove = useDelete();
  const page = (cursor: string | undefined) =>
    api.listSchedules({ ...filter, limit: PAGE_SIZE, ...(cursor && { cursor }) });
  const run = (change: BulkChange) =>
    void withProgress(change.word, (signal, tell) =>
      runBulk(
        {
          page,
          isToChange: change.isToChange,
          patch: ids => api.patchSchedules({ ids, patch: change.patch }),
        },
        signal,
        tell,
      ),
    ).then(result => {
      if (result.done.length > 0) offerUndo(change, result.done);
      tellRest(change.word, result);
      for (const name of SCHEDULE_QUERIES) void cache.invalidateQueries({ queryKey: [name] });
    });
  return {
    setStatus(status: 'enabled' | 'disabled') {
      const word = status === 'enabled' ? 'resumed' : 'paused';
      const isToChange = (schedule: Schedule) => schedule.status !== status;
      run({ patch: { status }, isToChange, field: 'status', word });
    },
    snooze(until: string | null) {
      const word = until === null ? 'woken up' : `paused until ${shortTime(until)}`;
      const isToChange = ({ status, pausedUntil }: Schedule) =>
        until === null ? pausedUntil !== undefined : status === 'enabled';
      run({ patch: { pausedUntil: until }, isToChange, field: 'pausedUntil', word });
    },
    /** They are found first. Nothing is deleted before it cannot be undone any more. */
    remove() {
      const nothing = { page, isToChange: () => true, patch: async () => {} };
      void withProgress('found', (signal, tell) => runBulk(nothing, signal, tell)).then(
        ({ done, left, error }) => {
          if (error !== undefined) say(sentenceOf(error), 'red');
          else if (left === 0 && done.length > 0) remove.mutate(done.map(({ id }) => id));
        },
      );
    },
  };
}

async function withProgress(
  word: string,
  work: (signal: AbortSignal, tell: (progress: Progress) => void) => Promise<BulkResult>,
): Promise<BulkResult> {
  const id = `bulk-${++count}`;
  const stop = new AbortController();
  const message = (progress: Progress) => (
    <BulkProgress progress={progress} word={word} onCancel={() => stop.abort()} />
  );
  const start: Progress = { found: 0, of: null, done: 0 };
  const options = { id, loading: true, autoClose: false, withCloseButton: false } as const;
  notifications.show({ ...options, message: message(start) });
  const result = await work(stop.signal, progress =>
    notifications.update({ ...options, message: message(progress) }),
  );
  notifications.hide(id);
  return result;
}

function BulkProgress({
  progress: { found, of, done },
  word,
  onCancel,
}: {
  progress: Progress;
  word: string;
  onCancel: () => void;
}) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="md">
      <span className="numbers">
        {of === null ? `${whole(found)} found…` : `${whole(done)} of ${whole(of)} ${word}…`}
      </span>
      <Button size="compact-sm" variant="default" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}

/** They are changed already: the message with its way back is the one of all changes. */
function offerUndo({ field, word }: BulkChange, before: Schedule[]): void {
  const ids = before.map(({ id }) => id);
  const said = (many: number) => `${schedules(many)} ${word}.`;
  undoable({
    ids,
    pending: [],
    word,
    said,
    touched: SCHEDULE_QUERIES,
    send: async () => ({ done: ids, refused: [] }),
    undo: () => changeBack(field, before),
  });
}

function changeBack(field: BulkChange['field'], before: Schedule[]): Change {
  return {
    ids: before.map(({ id }) => id),
    pending: [],
    word: 'brought back',
    said: many => `${schedules(many)} brought back.`,
    touched: SCHEDULE_QUERIES,
    async send({ api: through }) {
      const done: string[] = [];
      const refused: { id: string; error: unknown }[] = [];
      for (const { ids, patch } of patchesBack(before, field)) {
        try {
          await through.patchSchedules({ ids, patch });
          done.push(...ids);
        } catch (error) {
          refused.push(...ids.map(id => ({ id, error })));
        }
      }
      return { done, refused };
    },
  };
}

/** The part that was not done, and why. */
function tellRest(word: string, { done, left, error }: BulkResult): void {
  if (error !== undefined) {
    const what =
      left > 0
        ? `${schedules(done.length)} ${done.length === 1 ? 'was' : 'were'} ${word}, ${left.toLocaleString('en-GB')} were not.`
        : `Nothing was ${word}.`;
    say(`${what} ${sentenceOf(error)}`, 'red');
  } else if (left > 0) {
    say(`It was cancelled: ${schedules(left)} ${left === 1 ? 'was' : 'were'} not ${word}.`, 'gray');
  } else if (done.length === 0) {
    say(`No schedule was to be ${word}.`, 'gray');
  }
}

function schedules(many: number): string {
  return totalText({ count: many, isExact: true });
}

function say(message: string, color: string): void {
  notifications.show({ message, color, autoClose: 10_000, priority: 2 });
}
