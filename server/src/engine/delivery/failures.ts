import type { Clock } from '../../clock.ts';
import type { Claim, ManualClaim } from '../../store/contract/queue.ts';
import type { RunStore } from '../../store/contract/runs.ts';

export interface FailureLook {
  runs: Pick<RunStore, 'failuresInRow'>;
  clock: Clock;
  /** For how long runs that succeeded are kept, ms: failures in a row are counted no further back. */
  keptSuccessMs: number;
}

/**
 * How many runs of their schedules have failed in a row, the one that has just ended included.
 *
 * @param failed of schedules that are disabled after failures
 */
export async function failuresOf<One extends Claim | ManualClaim>(
  failed: One[],
  { runs, clock, keptSuccessMs }: FailureLook,
): Promise<Map<One, number>> {
  if (failed.length === 0) return new Map();
  const from = clock.now() - keptSuccessMs;
  const before = await runs.failuresInRow(
    failed.map(({ clientRowId, scheduleRowId, schedule }) => ({
      clientRowId,
      scheduleRowId,
      from,
      most: schedule.policy!.disableAfterFailures!,
    })),
  );
  return new Map(failed.map((claim, index) => [claim, before[index]! + 1]));
}
