import type { Arrival, CallbackArrival } from './evidence.ts';
import type { SignedSeen } from './evidence-of-clients.ts';

/** What a request tells of itself, by its headers in lower case. */
export type Headers = NodeJS.Dict<string | string[]>;

/** A request at the target that is not answered yet. */
export function arrivalOf(headers: Headers, at: number): Arrival {
  const header = (name: string) => String(headers[name]);
  return {
    scheduleId: header('punctual-schedule-id'),
    webhookId: header('webhook-id'),
    scheduledFor: Date.parse(header('punctual-scheduled-for')),
    attempt: Number(header('punctual-attempt')),
    fence: Number(header('punctual-fence')),
    at,
    endedAt: Number.POSITIVE_INFINITY,
    status: null,
  };
}

/** A callback at the receiver that is not answered yet. */
export function callbackArrivalOf(headers: Headers, body: string, at: number): CallbackArrival {
  const { type, data } = JSON.parse(body);
  return {
    webhookId: String(headers['webhook-id']),
    attempt: Number(headers['punctual-attempt']),
    type,
    scheduleId: data.scheduleId,
    runId: data.run.id,
    scheduledFor: Date.parse(data.run.scheduledFor),
    integrationId: data.integrationId,
    at,
    status: null,
  };
}

/** Of a request, or of a callback. */
type SignedArrival = Pick<Arrival, 'scheduleId' | 'at' | 'senderAt' | 'webhookId'>;

/** What a request was signed with, or a callback. */
export function signedOf(
  headers: Headers,
  body: string,
  { scheduleId, at, senderAt, webhookId }: SignedArrival,
): SignedSeen {
  const timestamp = String(headers['webhook-timestamp']);
  const signatures = String(headers['webhook-signature']);
  const sentAt = senderAt ?? at;
  return { scheduleId, at, sentAt, id: webhookId, timestamp, signatures, body };
}
