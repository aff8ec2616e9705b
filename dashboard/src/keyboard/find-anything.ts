import type { Run, Schedule } from '@punctual/client';
import { api, orNone } from '../queries.ts';

/** The palette's finds by a text: schedules by label and url, schedules and runs by id. */
export interface Found {
  schedules: Schedule[];
  runs: Run[];
}

const MOST = 7;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export async function findAnything(text: string): Promise<Found> {
  const words = text.trim();
  if (ID.test(words)) {
    const [schedule, run] = await Promise.all([
      orNone(api.getSchedule(words)),
      orNone(api.getRun(words)),
    ]);
    return { schedules: schedule ? [schedule] : [], runs: run ? [run] : [] };
  }
  if (words === '') return { schedules: [], runs: [] };
  const [byLabel, byUrl] = await Promise.all([
    api.listSchedules({ label: words, limit: MOST }),
    api.listSchedules({ url: words, limit: MOST }),
  ]);
  const all = new Map([...byLabel.items, ...byUrl.items].map(each => [each.id, each]));
  return { schedules: [...all.values()].slice(0, MOST), runs: [] };
}
