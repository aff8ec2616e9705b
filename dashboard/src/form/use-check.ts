import { useDebouncedValue } from '@mantine/hooks';
import type { CheckResult, Problem, ScheduleInput } from '@punctual/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../queries.ts';
import { knowClock } from '../time/zone-clock.ts';
import { fieldAt } from './delivery-draft.ts';
import { isUnfilled } from './interval-forms.ts';

/** The result of a check, and the draft that was checked. */
export interface Checked extends CheckResult {
  checked: ScheduleInput;
}

/** The service's own rules, asked when the typing rests. */
export function useCheck(input: ScheduleInput) {
  const [text] = useDebouncedValue(JSON.stringify(input), 200);
  return useQuery({
    queryKey: ['check', text],
    queryFn: async (): Promise<Checked> => {
      const checked = JSON.parse(text) as ScheduleInput;
      const [answer] = await Promise.all([api.checkSchedule(checked), knowClock(checked.timezone)]);
      return { ...answer, checked };
    },
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
}

/**
 * The problems of the current contents. A verdict on earlier contents does not count.
 *
 * @param wasSent until then, an empty url is no mistake yet
 */
export function problemsIn(
  input: ScheduleInput,
  result: Checked | undefined,
  wasSent: boolean,
): Problem[] {
  if (result === undefined) return [];
  const { problems, checked } = result;
  const current = problems.filter(({ where }) => {
    const name = /^\w+/.exec(where)![0] as keyof ScheduleInput;
    if (JSON.stringify(checked[name]) !== JSON.stringify(input[name])) return false;
    return wasSent || !isEmpty(input, where);
  });
  return current.map(({ where, sentence }) => ({ where: fieldAt(where), sentence }));
}

function isEmpty({ url, interval, integrations = [] }: ScheduleInput, where: string): boolean {
  if (where === 'url') return url === '';
  if (where === 'interval') return isUnfilled(interval);
  const index = /^integrations\[(\d+)\]\.url$/.exec(where)?.[1];
  return index !== undefined && integrations[Number(index)]?.url === '';
}
