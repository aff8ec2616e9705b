import type { AttemptOutcome } from './run.ts';

/**
 * The body of a callback: the request that an integration receives when a run has ended for good. It is signed;
 * `verifyCallback` checks it and gives this.
 */
export interface ScheduleCallback {
  type: 'schedule.run.succeeded' | 'schedule.run.failed';
  /** When the run ended. */
  timestamp: string;
  data: {
    scheduleId: string;
    /** The schedule's label, '' where it has none. */
    label: string;
    /** Present if the schedule has one. */
    externalId?: string;
    /** Present if the schedule has some. */
    tags?: Record<string, string>;
    integrationId: string;
    /** Only where the integration has `includeScheduleUrlInCallback`. */
    scheduleUrl?: string;
    run: CallbackRun;
  };
}

/** The run that a callback tells of. */
export interface CallbackRun {
  id: string;
  scheduledFor: string;
  startedAt: string;
  finishedAt: string;
  /** How many attempts were made. */
  attempts: number;
  status: 'succeeded' | 'failed';
  /** Of the last attempt. */
  outcome?: AttemptOutcome;
  /** Of the last attempt, where the target answered. */
  responseStatus?: number;
  /** Why the run failed, in one sentence. */
  error?: string;
}
