import { destinationMark } from '../../domain/schedule/marks.ts';
import { DESTINATION, DESTINATION_USE, type Row } from '../columns.ts';
import {
  type DestinationStore,
  type DestinationUse,
  MOST_DESTINATIONS,
  type PresentDestination,
  type StoredDestination,
} from '../contract/destinations.ts';
import type { NamedResource } from './named-resource.ts';

/** Rows of destinations, as both backends read them. */

/** The columns that anybody may see: all but the secrets. */
export const SHOWN = DESTINATION.except('secrets');

export const DESTINATIONS: NamedResource<StoredDestination, DestinationUse> = {
  table: 'destinations',
  columns: SHOWN,
  use: DESTINATION_USE,
  markOf: destinationMark,
  most: MOST_DESTINATIONS,
};

/** @param row of a destination with its `client_key`, and the `client_id` of its client */
export function presentFrom(row: Row): PresentDestination {
  return {
    ...DESTINATION.fromRow(row),
    clientRowId: row.client_key as number,
    clientId: row.client_id as string,
  };
}

/** @param row with `client_key`, `client_id`, `name` and `secrets` */
export function secretsRowFrom(row: Row): Awaited<ReturnType<DestinationStore['secrets']>>[number] {
  return {
    clientRowId: row.client_key as number,
    clientId: row.client_id as string,
    name: row.name as string,
    secrets: row.secrets as string,
  };
}
