import { isCron } from '../calendar/interval-form.ts';
import { PLAIN_POLICY, type Policy, type Schedule } from './schedule.ts';

/**
 * The level of this engine: nodes of several releases may share a store, and each fires only what it understands
 * (`queue.needs`).
 *
 * - 0: a cron interval, with url, verb, headers, data, integrations and the first fields of `policy`
 * - 1: timing, one-offs, rates and a raw body
 * - 2: a destination, and the other fields of `policy`
 */
export const ENGINE_LEVEL = 2;

/** The least level that an engine must have to fire this schedule. */
export function levelOf({ interval, timing, delivery, policy }: Schedule): number {
  if (delivery?.destination !== undefined || !isPlain(policy)) return 2;
  return timing !== undefined || delivery?.body !== undefined || !isCron(interval) ? 1 : 0;
}

function isPlain(policy: Policy = {}): boolean {
  const plain: readonly string[] = PLAIN_POLICY;
  return Object.keys(policy).every(field => plain.includes(field));
}
