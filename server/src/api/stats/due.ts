import { countBySpan } from '../../domain/calendar/forecast.ts';
import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import type { Schedule } from '../../domain/schedule/schedule.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type { StepRange } from '../../store/contract/stats.ts';
import { Slices } from '../http/slices.ts';

/**
 * The times to come of schedules, counted step by step, in slices of a few milliseconds.
 *
 * @param now times after it are to come, epoch ms
 * @returns for each schedule its counts by the number of the step
 */
export async function dueBySteps(
  schedules: readonly Schedule[],
  range: StepRange,
  now: number,
  { clientRowId, calendars }: { clientRowId: number; calendars: Pick<CalendarStore, 'versions'> },
): Promise<Map<string, Map<number, number>>> {
  const found = new Map<string, Map<number, number>>();
  if (range.to <= now) return found;
  await loadCalendars(calendars, schedules);
  const slices = new Slices(clientRowId);
  for (const schedule of schedules) {
    if (schedule.status !== 'enabled') continue;
    const counts = new Map<number, number>();
    for (const { number, times } of countedSteps(schedule, range, now)) {
      counts.set(number, times);
      if (slices.isOver) await slices.next();
    }
    found.set(schedule.id, counts);
  }
  return found;
}

/** The rest of the step that `now` lies in, and the whole ones after it. */
function* countedSteps(
  schedule: Schedule,
  { from, to, stepMs }: StepRange,
  now: number,
): Generator<{ number: number; times: number }> {
  const start = Math.max(from, now + 1);
  const first = Math.floor((start - from) / stepMs);
  const whole = from + (first + 1) * stepMs;
  if (start < whole) {
    const rest = { from: start, spanMs: whole - start, count: 1 };
    for (const { times } of countBySpan(schedule, rest)) yield { number: first, times };
  }
  const steps = { from: whole, spanMs: stepMs, count: Math.max(0, (to - whole) / stepMs) };
  for (const { span, times } of countBySpan(schedule, steps)) {
    yield { number: first + 1 + span, times };
  }
}
