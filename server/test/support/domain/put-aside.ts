import type { KnownTime } from '../../../src/domain/run/queue-row.ts';
import type { RunRecord } from '../../../src/domain/run/run.ts';

/** Runs that were cut off by a clock that was ahead: they are sent again if their times come again. */

export function isAside(record: RunRecord | undefined): boolean {
  return record?.status === 'missed' && record.attempts.length > 0;
}

export function asideOf(records: ReadonlyMap<string, RunRecord>): KnownTime[] {
  return [...records.values()]
    .filter(isAside)
    .map(({ scheduledFor, attempts }) => ({ scheduledFor, attempts, sent: false }));
}
