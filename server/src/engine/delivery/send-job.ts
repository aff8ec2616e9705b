import type { Clock } from '../../clock.ts';
import type { Send, SendResult } from '../../outbound/send.ts';
import type { Claim, ManualClaim } from '../../store/contract/queue.ts';
import type { Identities } from '../identity/identities.ts';
import { sendAs } from '../identity/send-as.ts';
import { destinationOf, type Job, requestAt } from './job.ts';

export interface SendJobOptions {
  send: Send;
  clock: Clock;
  /** The destinations of the claims, which were loaded before. */
  identities: Pick<Identities, 'of'>;
}

/** Sends the request of a job now; through its destination, if it has one. */
export function sendJob(job: Job, now: number, options: SendJobOptions): Promise<SendResult> {
  const name = destinationOf(job);
  if (name === undefined) {
    job.signedAt = now;
    return options.send(requestAt(job, now));
  }
  const { request, permit, claim } = job;
  const build = (at: number) => {
    job.signedAt = at;
    return requestAt(job, at);
  };
  const identity = options.identities.of((claim as Claim | ManualClaim).schedule);
  return sendAs({ identity, name, request, permit, build }, options);
}

/** Whether the target says something about its schedule, and is to be obeyed. */
export function isTold({ claim }: Job, { control }: SendResult): boolean {
  return (
    control !== undefined && 'schedule' in claim && claim.schedule.policy?.obeyTarget !== false
  );
}
