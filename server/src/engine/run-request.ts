import { POLICY_DEFAULTS } from '../domain/schedule.ts';
import { buildRunRequest, type RunRequestFacts } from '../outbound/request.ts';
import type { OutboundRequest } from '../outbound/send.ts';
import type { Firing } from '../store/work.ts';

/** The request of one attempt, as its schedule says. */
export function runRequest(
  firing: Omit<Firing, 'clientId'>,
  facts: Pick<RunRequestFacts, 'runId' | 'scheduledFor' | 'attempt' | 'nowMs'>,
): OutboundRequest {
  const { id: scheduleId, policy } = firing;
  const timeoutMs = (policy?.timeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds) * 1_000;
  return buildRunRequest(firing, { ...facts, scheduleId, secrets: firing, timeoutMs });
}
