import { parseAllowTargets } from '../../../src/domain/schedule/target.ts';
import type { OutboundRequest } from '../../../src/outbound/send.ts';
import { createSender } from '../../../src/outbound/sender.ts';
import { createSenderPool } from '../../../src/outbound/sender-pool.ts';

/** A process that sends what its parent asks for, so that the parent can suspend it meanwhile. */

/**
 * @param threads 0: the main thread sends; each name then takes as long to be resolved as told
 * @param suspendsItself as soon as it has told that it sends
 */
export interface Task {
  threads: number;
  resolvingMs?: number;
  suspendsItself?: boolean;
  request: OutboundRequest;
}

const SETTINGS = { connectionsPerOrigin: 8, maxOrigins: 8, maxLookups: 8 };

process.once('message', async ({ threads, resolvingMs, suspendsItself, request }: Task) => {
  const allow = parseAllowTargets('127.0.0.0/8');
  const resolve = () =>
    new Promise<string[]>(done => setTimeout(() => done(['127.0.0.1']), resolvingMs));
  const sender =
    threads === 0
      ? createSender({ allow, ...SETTINGS, ...(resolvingMs !== undefined && { resolve }) })
      : createSenderPool({ allow, threads, ...SETTINGS });
  const sent = sender.send(request);
  process.send!('sent', () => {
    if (suspendsItself) process.kill(process.pid, 'SIGSTOP');
  });
  process.send!(await sent);
  await sender.close();
  process.disconnect!();
});
