import type { DestinationConfig } from '../destination/destination.ts';
import { type Misfit, misfitsOf } from '../destination/fitness.ts';
import { PunctualError } from '../errors.ts';
import { type CalendarVersions, NO_CALENDARS } from './timing-draft.ts';

/** References: the named things that a body may refer to, as they are. A name that is not there is left out. */
export interface References {
  calendars: CalendarVersions;
  destinations: Destinations;
}

/** Destinations by their names. */
export type Destinations = ReadonlyMap<string, DestinationConfig>;

export const NO_REFERENCES: References = { calendars: NO_CALENDARS, destinations: new Map() };

/** A schedule, as far as it has to fit its destination. */
interface Directed {
  url: string;
  headers?: Record<string, string>;
  destination?: string;
}

/** @throws PunctualError `reference_unknown`, or the first rule of its destination that it breaks */
export function checkDestination(directed: Directed, destinations: Destinations): void {
  checkKnown(directed, destinations);
  for (const where of ['url', 'headers'] as const) checkFits(directed, where, destinations);
}

/** @throws PunctualError `reference_unknown` */
export function checkKnown({ destination }: Directed, destinations: Destinations): void {
  if (destination === undefined || destinations.has(destination)) return;
  throw new PunctualError(
    'reference_unknown',
    `destination: there is no destination ${JSON.stringify(destination)}.`,
    { refused: destination },
  );
}

/** @throws PunctualError the first rule that the field breaks */
export function checkFits(
  directed: Directed,
  where: Misfit['where'],
  destinations: Destinations,
): void {
  const { destination: name = '' } = directed;
  const config = destinations.get(name);
  if (config === undefined) return;
  const misfit = misfitsOf(directed, name, config).find(each => each.where === where);
  if (misfit !== undefined) throw new PunctualError(misfit.code, misfit.sentence);
}
