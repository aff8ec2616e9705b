import { notifications } from '@mantine/notifications';
import {
  PunctualApiError,
  type Schedule,
  type ScheduleInput,
  type TaggedSchedule,
} from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { draftOf, inputOf } from '../form/draft.ts';
import { api } from '../queries.ts';
import { conflictsOf, type Field, merged } from './merge.ts';
import { versionsKey } from './version-queries.ts';

/** A version that is to be restored, and the schedule as the reader has seen it. */
export interface Restoring {
  was: Schedule;
  seen: TaggedSchedule;
}

interface Asked {
  /** The fields of another editor's change that stay. */
  taken: Field[];
}

/**
 * Puts a schedule back to what it was. If somebody else has stored it meanwhile, nothing is written: the newest version
 * is told, and the reader decides.
 */
export function useRestore({ was, seen }: Restoring, done: () => void) {
  const queries = useQueryClient();
  const [newest, setNewest] = useState<TaggedSchedule | null>(null);
  const [tries, setTries] = useState(0);
  const restore = useMutation({
    mutationFn: async ({ taken }: Asked) => {
      const present = newest ?? seen;
      const input = newest === null ? whole(was) : resolved({ was, seen }, newest, taken);
      return api.replaceSchedule(was.id, input, { ifMatch: present.etag });
    },
    onError: async error => {
      if (!isOvertaken(error)) return;
      setNewest(await api.getTaggedSchedule(was.id));
      setTries(tries + 1);
    },
    onSuccess: schedule => {
      queries.setQueryData(['schedule', schedule.id], schedule);
      const stale = [versionsKey(schedule.id), ['schedules'], ['stats'], ['next'], ['forecast']];
      for (const queryKey of stale) void queries.invalidateQueries({ queryKey });
      notifications.show({ message: 'The schedule is what it was.', color: 'green' });
      done();
    },
  });
  return { restore, newest, tries };
}

/** A status that only the service gives is none of a caller's. */
function whole({ status, ...version }: Schedule): ScheduleInput {
  return status === 'deleted' ? version : { ...version, status };
}

function resolved(
  { was, seen }: Restoring,
  newest: TaggedSchedule,
  taken: readonly Field[],
): ScheduleInput {
  const [base, mine, theirs] = [seen.schedule, was, newest.schedule].map(draftOf);
  const isConflicting = conflictsOf(base!, mine!, theirs!).length > 0;
  if (!isConflicting || taken.length === 0) return whole(was);
  // The one field that a PUT removes and no form has.
  const { pausedUntil } = was;
  return { ...inputOf(merged(mine!, theirs!, taken)), ...(pausedUntil && { pausedUntil }) };
}

function isOvertaken(error: unknown): boolean {
  return error instanceof PunctualApiError && error.status === 412;
}
