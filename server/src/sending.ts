import { availableParallelism } from 'node:os';
import { type Clock, systemClock } from './clock.ts';
import type { Config } from './config.ts';
import type { FetchText } from './outbound/fetch-text.ts';
import { LeaseDeadline } from './outbound/lease-deadline.ts';
import type { OutboundRequest, Send, SendResult } from './outbound/send.ts';
import type { Sender } from './outbound/sender.ts';
import { createSenderPool, senderThreadsFor } from './outbound/sender-pool.ts';
import type { Store } from './store/contract/store.ts';
import type { Tracing } from './telemetry/tracing.ts';

/** Builds the senders that the settings ask for. */

/** Of a lease: how long a node counts on it. The rest is for the way to the database and back. */
const COUNTED_ON = 0.75;

/** Before anything is sent: its threads take their time to start. */
export async function startSending(
  config: Config,
  store: Store,
): Promise<{ sender: OpenSender; leaseDeadline: LeaseDeadline | undefined }> {
  const isEngine = config.role !== 'api';
  const leaseDeadline =
    store.cluster && isEngine ? new LeaseDeadline(store.cluster.leaseMs * COUNTED_ON) : undefined;
  return { sender: await openSender(config, leaseDeadline), leaseDeadline };
}

/** The senders for runs and for test requests. */
export function sendingBy(
  { sender }: { sender: OpenSender },
  clock: Clock,
  tracing: Tracing | null,
): Send {
  const send: Send =
    clock === systemClock ? sender.send : request => sentBy(clock, sender.send(request));
  return tracing?.send(send) ?? send;
}

/** The fetcher of calendars. It is loaded at the first fetch: most services have none. */
export function fetchingBy({ allowTargets: allow }: Config): FetchText {
  let fetcher: Promise<FetchText> | null = null;
  return async (...asked) => {
    fetcher ??= import('./outbound/fetch-text.ts').then(room => room.createTextFetcher({ allow }));
    return (await fetcher)(...asked);
  };
}

export type Observe = (request: OutboundRequest, result: SendResult) => void;

/** The same, with somebody who is told of what ended. */
export function observed(send: Send, observe: Observe | undefined): Send {
  if (observe === undefined) return send;
  return async request => {
    const result = await send(request);
    if (result.outcome !== 'cancelled') observe(request, result);
    return result;
  };
}

/** The sender goes by the machine's clock: its instants on the clock that all nodes share. */
async function sentBy(clock: Clock, sent: Promise<SendResult>): Promise<SendResult> {
  const result = await sent;
  return { ...result, startedAt: clock.now() - (systemClock.now() - result.startedAt) };
}

type OpenSender = Pick<Sender, 'send' | 'close' | 'isHeldUp'>;

async function openSender(
  config: Config,
  leaseDeadline: LeaseDeadline | undefined,
): Promise<OpenSender> {
  const threads = config.senderThreads ?? senderThreadsFor(availableParallelism());
  const options = { ...config.sender, allow: config.allowTargets };
  if (threads > 0) return createSenderPool({ ...options, threads, leaseDeadline });
  // Only the thread that sends loads the sender.
  return (await import('./outbound/sender.ts')).createSender(options);
}
