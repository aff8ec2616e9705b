import type { ApiAnswer, Credentials } from './api.ts';
import type { Machine } from './machine.ts';
import type { CallSeen } from './model/evidence-of-clients.ts';
import type { Call, Node } from './node.ts';
import type { Random } from './random.ts';

/** Who is asked. */
export type Asked = Pick<Node, 'call'>;

/** Somebody who calls the service, and the process that he asks. */
export interface Caller {
  machine: Machine;
  random: Random;
  node: () => Asked;
}

/** So long he waits for an answer. */
const PATIENCE_MS = 10_000;

/** @returns null where there was no answer */
export function callOnce(call: Call, { machine, random, node }: Caller): Promise<ApiAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<ApiAnswer | null>();
  const wayMs = random.between(0.1, 0.5);
  const timer = machine.after(PATIENCE_MS, () => resolve(null), machine.world);
  node().call(call, wayMs, answer => {
    timer.cancel();
    machine.after(wayMs, () => resolve(answer), machine.world);
  });
  return promise;
}

/** Calls with the key of a client, and keeps what it was answered. */
export async function callAs(
  { credentials, calls }: { credentials: Credentials; calls: CallSeen[] },
  call: Call,
  caller: Caller,
): Promise<ApiAnswer | null> {
  const { machine } = caller;
  const askedAt = machine.now;
  const answer = await callOnce({ ...call, credentials }, caller);
  if (answer !== null) calls.push({ askedAt, endedAt: machine.now, status: answer.status });
  return answer;
}

/** Who is not answered, is told that the store is away, or whose command failed, asks again so much later. */
export const AGAIN_MS = 500;

/**
 * Asks again until the answer is 200.
 *
 * @param what is asked for, as the trace names it
 * @param isOver whether nobody waits for it any more
 * @returns whether that was the answer
 */
export async function callUntilDone(
  call: Call,
  around: Caller & { tell: (line: string) => void },
  what: string,
  isOver = () => false,
): Promise<boolean> {
  const { machine, tell } = around;
  while (!isOver()) {
    const answer = await callOnce(call, around);
    if (answer?.status === 200) return true;
    tell(`${what}: ${answer ? `${answer.status} ${answer.body.error}` : 'none'}`);
    await machine.sleep(AGAIN_MS, machine.world);
  }
  return false;
}
