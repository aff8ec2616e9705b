import type * as Wire from '@punctual/client';
import type { RunView } from '../store/contract/runs.ts';
import type { NamedSchedule, ScheduleStore } from '../store/contract/schedules.ts';
import { runListAnswer } from './answers.ts';

/** Runs of a list with the names of their schedules, which are read together. */

export async function namesOf(
  schedules: Pick<ScheduleStore, 'names'>,
  clientRowId: number,
  runs: readonly Pick<RunView, 'scheduleId'>[],
): Promise<Map<string, NamedSchedule>> {
  const ids = new Set(runs.map(({ scheduleId }) => scheduleId));
  if (ids.size === 0) return new Map();
  const found = await schedules.names(clientRowId, [...ids]);
  return new Map(found.map(schedule => [schedule.id, schedule]));
}

export function namedRunAnswer(run: RunView, names: ReadonlyMap<string, NamedSchedule>): Wire.Run {
  const name = names.get(run.scheduleId);
  const answer = runListAnswer(run);
  return name === undefined ? answer : { ...answer, label: name.label, url: name.url };
}
