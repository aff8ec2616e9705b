import { notifications } from '@mantine/notifications';
import { PunctualApiError, type Schedule, type TaggedSchedule } from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '../queries.ts';
import { type Draft, draftOf, inputOf } from './draft.ts';
import { patchOf } from './schedule-patch.ts';

interface Sent {
  draft: Draft;
  /** The version that is changed; absent for a new schedule. */
  stored: TaggedSchedule | undefined;
  /** Whether nothing of what another editor stored would be lost. */
  isMine: (newest: Schedule) => boolean;
}

/**
 * Creates a schedule, or changes those fields of one that were edited. If somebody else was faster, it
 * changes nothing: the form fetches and shows the stored version.
 *
 * @param forget what is done with the draft when it is stored
 */
export function useSave(id: string | null, forget: () => void) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: ({ draft, stored, isMine }: Sent) =>
      id === null || stored === undefined
        ? api.createSchedule(inputOf(draft))
        : change({ draft, stored, isMine }),
    onError: error => {
      if (isOvertaken(error)) return queries.invalidateQueries({ queryKey: ['schedule', id] });
    },
    onSuccess: schedule => {
      forget();
      queries.setQueryData(['schedule', schedule.id], schedule);
      for (const name of ['schedules', 'stats', 'next', 'forecast', 'explain']) {
        void queries.invalidateQueries({ queryKey: [name] });
      }
      notifications.show({
        message: id === null ? 'The schedule was created.' : 'The changes were saved.',
        color: 'green',
      });
      go(`/schedules/${schedule.id}`);
    },
  });
}

/** Somebody who pauses it between two looks is no reason to refuse: such a change stays as it is. */
const MOST_TRIES = 3;

async function change(
  { draft, stored, isMine }: Sent & { stored: TaggedSchedule },
  tries = 1,
): Promise<Schedule> {
  const { schedule, etag } = stored;
  const patch = patchOf(inputOf(draftOf(schedule)), inputOf(draft));
  try {
    return await api.patchSchedule(schedule.id, patch, { ifMatch: etag });
  } catch (error) {
    if (!isOvertaken(error) || tries === MOST_TRIES) throw error;
    const newest = await api.getTaggedSchedule(schedule.id);
    if (!isMine(newest.schedule)) throw error;
    return change({ draft, stored: newest, isMine }, tries + 1);
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof PunctualApiError && error.status === 412;
}
