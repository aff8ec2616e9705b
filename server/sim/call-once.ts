import type { ApiAnswer } from './api.ts';
import type { Machine } from './machine.ts';
import type { Call, Node } from './node.ts';
import type { Random } from './random.ts';

/** Somebody who calls the service, and the process that he asks. */
export interface Caller {
  machine: Machine;
  random: Random;
  node: () => Node;
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
