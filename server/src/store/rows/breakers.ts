import type { BreakerRecord } from '../contract/breakers.ts';
import type { Cell } from './row.ts';

/** Rows of breakers, as both backends write them. */

export const BREAKER_COLUMNS = [
  'id',
  'client_key',
  'origin',
  'since',
  'opened_at',
  'closed_at',
  'open_until',
];

export function breakerCells(breaker: BreakerRecord, openUntil: number): Cell[] {
  const { id, clientRowId, origin, since, openedAt, closedAt } = breaker;
  return [id, clientRowId, origin, since, openedAt, closedAt ?? null, openUntil];
}
