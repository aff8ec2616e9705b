import { notifications } from '@mantine/notifications';
import { PunctualApiError, type Schedule, type ScheduleInput } from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from './queries.ts';

interface Sent {
  input: ScheduleInput;
  /** The version that is replaced. */
  etag: string | undefined;
  /** Whether nothing of what another editor stored would be lost. */
  isMine: (newest: Schedule) => boolean;
}

/**
 * Creates or replaces a schedule. If somebody else was faster, it changes nothing: the form fetches
 * and shows the stored version.
 *
 * @param forget what is done with the draft when it is stored
 */
export function useSave(id: string | null, forget: () => void) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  return useMutation({
    mutationFn: (sent: Sent) => (id === null ? api.createSchedule(sent.input) : replace(id, sent)),
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

async function replace(id: string, { input, etag, isMine }: Sent, tries = 1): Promise<Schedule> {
  try {
    return await api.replaceSchedule(id, input, etag === undefined ? {} : { ifMatch: etag });
  } catch (error) {
    if (!isOvertaken(error) || tries === MOST_TRIES) throw error;
    const newest = await api.getTaggedSchedule(id);
    if (!isMine(newest.schedule)) throw error;
    return replace(id, { input, etag: newest.etag, isMine }, tries + 1);
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof PunctualApiError && error.status === 412;
}
