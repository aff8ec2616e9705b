import { notifications } from '@mantine/notifications';
import type { ScheduleStatus } from '@punctual/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, sentenceOf } from '../queries.ts';

/** Requests under way at the same moment where one click asks for many. */
const AT_ONCE = 8;

/** Does the same for each id, and says how many went well and why others did not. */
async function forEachId(ids: string[], work: (id: string) => Promise<unknown>): Promise<Tally> {
  const left = [...ids];
  const tally: Tally = { done: 0, failures: [] };
  const worker = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await work(id);
        tally.done += 1;
      } catch (error) {
        tally.failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, worker));
  // If all failed, it is an ordinary error, such as an ended session.
  if (tally.done === 0 && tally.failures.length > 0) throw tally.failures[0];
  return tally;
}

interface Tally {
  done: number;
  failures: unknown[];
}

function useForEach(
  queryNames: string[],
  work: (id: string) => Promise<unknown>,
  said: (count: number) => string,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[]) => forEachId(ids, work),
    onSuccess: ({ done, failures }) => {
      notifications.show({ message: said(done), color: 'green' });
      if (failures.length === 0) return;
      const message = `${failures.length} were refused: ${sentenceOf(failures[0])}`;
      notifications.show({ message, color: 'red', autoClose: 10_000 });
    },
    onError: error => {
      notifications.show({ message: sentenceOf(error), color: 'red', autoClose: 10_000 });
    },
    onSettled: () => {
      for (const name of queryNames) void queries.invalidateQueries({ queryKey: [name] });
    },
  });
}

const TOUCHED = ['schedules', 'schedule', 'stats', 'next', 'forecast'];
const count = (many: number, one: string) => (many === 1 ? one : `${one}s`);

export function useSetStatus(status: Extract<ScheduleStatus, 'enabled' | 'disabled'>) {
  const word = status === 'enabled' ? 'resumed' : 'paused';
  return useForEach(
    TOUCHED,
    id => api.patchSchedule(id, { status }),
    many => `${many} ${count(many, 'schedule')} ${word}.`,
  );
}

export function useDelete() {
  return useForEach(
    TOUCHED,
    id => api.deleteSchedule(id),
    many => `${many} ${count(many, 'schedule')} deleted.`,
  );
}

/** A rerun may send another request than before: the schedule may have changed since. */
export const AS_TODAY = 'Once per schedule, as the schedule is today.';

/** @param ids of schedules: each is run now, once, as it is today */
export function useSendAgain() {
  return useForEach(
    ['runs', 'history', 'stats'],
    id => api.triggerSchedule(id),
    many => `${many} ${count(many, 'run')} sent again.`,
  );
}

export function useRunNow() {
  return useForEach(
    ['runs', 'history', 'stats'],
    id => api.triggerSchedule(id),
    () => 'It runs now.',
  );
}
