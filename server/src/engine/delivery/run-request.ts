import { POLICY_DEFAULTS } from '../../domain/schedule/schedule.ts';
import { buildRunRequest, type RunRequestFacts } from '../../outbound/request.ts';
import type { OutboundRequest } from '../../outbound/send.ts';
import type { FireableSchedule } from '../../store/contract/queue.ts';

/** The request of one attempt, as its schedule says. */
export function runRequest(
  schedule: Omit<FireableSchedule, 'clientId'>,
  facts: Pick<RunRequestFacts, 'runId' | 'scheduledFor' | 'attempt' | 'nowMs'>,
): OutboundRequest {
  const { id: scheduleId, policy } = schedule;
  const timeoutMs = (policy?.timeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds) * 1_000;
  return buildRunRequest(schedule, { ...facts, scheduleId, secrets: schedule, timeoutMs });
}
