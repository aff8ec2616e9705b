import { iso } from '../iso.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { RunRecord } from './run.ts';

/** One callback that a run's end causes: where it goes and the JSON body that is signed and sent. */
export interface CallbackDraft {
  integrationId: string;
  url: string;
  body: string;
}

/**
 * The callbacks of a run that ended for good: of each integration when it failed, and of those with
 * `callOnSuccess` when it succeeded. A run that was skipped or missed was never triggered.
 *
 * The body has the form of Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
export function callbacksOf(schedule: Schedule, run: RunRecord): CallbackDraft[] {
  const { integrations = [], delivery } = schedule;
  if (run.status !== 'failed' && run.status !== 'succeeded') return [];
  return integrations
    .filter(integration => run.status === 'failed' || integration.callOnSuccess)
    .map(({ id, url, includeScheduleUrlInCallback }) => ({
      integrationId: id,
      url,
      body: JSON.stringify({
        type: `schedule.run.${run.status}`,
        timestamp: iso(run.finishedAt!),
        data: {
          scheduleId: schedule.id,
          label: schedule.label,
          ...(delivery?.externalId !== undefined && { externalId: delivery.externalId }),
          ...(delivery?.tags !== undefined && { tags: delivery.tags }),
          integrationId: id,
          ...(includeScheduleUrlInCallback && { scheduleUrl: schedule.url }),
          run: runOf(run),
        },
      }),
    }));
}

function runOf(run: RunRecord) {
  const last = run.attempts.at(-1);
  return {
    id: run.id,
    scheduledFor: iso(run.scheduledFor),
    startedAt: iso(run.startedAt!),
    finishedAt: iso(run.finishedAt!),
    attempts: run.attempts.length,
    status: run.status,
    outcome: last?.outcome,
    responseStatus: last?.responseStatus,
    error: last?.error ?? run.reason,
  };
}
