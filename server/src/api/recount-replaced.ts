import type { CalendarVersions } from '../domain/schedule/timing-draft.ts';
import type { ApiDeps } from './deps.ts';

/**
 * To be called after schedules were written with these versions of calendars. A calendar that was replaced between its read
 * and the write has not seen them: its schedules are counted anew.
 */
export async function recountReplaced(
  { store: { calendars }, engine }: Pick<ApiDeps, 'store' | 'engine'>,
  clientRowId: number,
  versions: CalendarVersions,
): Promise<void> {
  const present = await calendars.present(clientRowId, [...versions.keys()]);
  const replaced = [...present].filter(([name, version]) => versions.get(name) !== version);
  if (replaced.length === 0) return;
  const names = replaced.map(([name]) => name);
  await calendars.requestRecount(clientRowId, names);
  engine.calendarsChanged();
}
