import { useDebouncedValue } from '@mantine/hooks';
import type { Schedule, ScheduleInput, SchedulePatch } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';
import { knowClock } from '../time/zone-clock.ts';
import { draftOf, inputOf } from './draft.ts';
import { patchOf, timesPatch } from './schedule-patch.ts';

/** The effect of an edit on the next month, asked when the typing rests; nothing where no time can change. */
export function useSimulation(schedule: Schedule, edited: ScheduleInput) {
  const patch = timesPatch(patchOf(inputOf(draftOf(schedule)), edited));
  const now = JSON.stringify(patch);
  const [text] = useDebouncedValue(now, 300);
  const query = useQuery({
    queryKey: ['simulation', schedule.id, schedule.updatedAt, text],
    queryFn: async () => {
      const changes = [{ id: schedule.id, patch: JSON.parse(text) as SchedulePatch }];
      const [answer] = await Promise.all([api.simulate({ changes }), knowClock(edited.timezone)]);
      return answer.changes[0]!;
    },
    enabled: patch !== null && text !== 'null',
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 10_000,
  });
  return { ...query, isChange: patch !== null, isOld: query.isPlaceholderData || now !== text };
}
