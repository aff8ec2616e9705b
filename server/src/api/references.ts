import { NO_REFERENCES, type References } from '../domain/schedule/references.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import type { Store } from '../store/contract/store.ts';
import { calendarsFor } from './calendars.ts';

/** The names in a body, or in a patch. */
export interface NamesOf {
  exclude?: readonly string[] | null | undefined;
  destination?: string | null | undefined;
}

/** The names in a stored schedule. */
export function namesIn({ timing, delivery }: Schedule): NamesOf {
  return { exclude: timing?.exclude, destination: delivery?.destination };
}

/** All that these names refer to. The calendars are known to this thread: times that name them can be counted. */
export async function referencesFor(
  store: Pick<Store, 'calendars' | 'destinations'>,
  clientRowId: number,
  named: readonly NamesOf[],
): Promise<References> {
  const calendars = named.flatMap(({ exclude }) => exclude ?? []);
  const destinations = named.flatMap(({ destination }) => destination ?? []);
  if (destinations.length === 0 && calendars.length === 0) return NO_REFERENCES;
  return {
    calendars: await calendarsFor(store, clientRowId, calendars),
    destinations: await destinationsFor(store, clientRowId, destinations),
  };
}

async function destinationsFor(
  { destinations }: Pick<Store, 'destinations'>,
  clientRowId: number,
  names: string[],
): Promise<References['destinations']> {
  if (names.length === 0) return NO_REFERENCES.destinations;
  const found = await destinations.findAll(clientRowId, [...new Set(names)]);
  return new Map(found.map(({ name, config }) => [name, config]));
}
