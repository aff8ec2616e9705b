import crypto from 'node:crypto';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import promised from 'node:timers/promises';
import zlib from 'node:zlib';
import { type Machine, machineThatPlays, turnBy } from './machine.ts';

/**
 * Time and chance of the process. While a machine plays they are the machine's; otherwise they are what they were. Import it
 * before anything that takes them.
 */

interface Timer {
  cancel(): void;
}

/** @param played takes the place of `real` while a machine plays */
function replaced<Call extends (...parameters: never[]) => unknown>(
  real: Call,
  played: (machine: Machine, ...parameters: Parameters<Call>) => unknown,
): Call {
  return ((...parameters: Parameters<Call>) => {
    const machine = machineThatPlays();
    return machine === null ? real(...parameters) : played(machine, ...parameters);
  }) as unknown as Call;
}

/** As Node's timers, which may be told not to hold up the end of the process. */
function handleOf(timer: Timer): Timer & { ref(): unknown; unref(): unknown } {
  const handle = { cancel: () => timer.cancel(), ref: () => handle, unref: () => handle };
  return handle;
}

function every(machine: Machine, call: () => void, delayMs: number): Timer {
  let timer: Timer;
  const again = () => {
    timer = machine.after(Math.max(1, delayMs), () => {
      again();
      call();
    });
  };
  again();
  return { cancel: () => timer.cancel() };
}

const cancelled = (_: Machine, timer?: unknown) => (timer as Timer | undefined)?.cancel();
type Call = (...parameters: unknown[]) => void;

turnBy(setImmediate);
Object.assign(globalThis, {
  setImmediate: replaced(setImmediate as never, (machine, call: Call, ...parameters: unknown[]) =>
    handleOf(machine.after(0, () => call(...parameters))),
  ),
  setTimeout: replaced(
    setTimeout as never,
    (machine, call: Call, delayMs = 1, ...parameters: unknown[]) =>
      handleOf(machine.after(Math.max(1, delayMs), () => call(...parameters))),
  ),
  setInterval: replaced(
    setInterval as never,
    (machine, call: Call, delayMs = 1, ...parameters: unknown[]) =>
      handleOf(every(machine, () => call(...parameters), delayMs)),
  ),
  clearImmediate: replaced(clearImmediate as never, cancelled),
  clearTimeout: replaced(clearTimeout as never, cancelled),
  clearInterval: replaced(clearInterval as never, cancelled),
});
Object.assign(promised, {
  setTimeout: replaced(
    promised.setTimeout as never,
    (machine, delayMs: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const timer = machine.after(delayMs, () => resolve(value));
        signal?.addEventListener('abort', () => {
          timer.cancel();
          reject(signal.reason);
        });
      }),
  ),
});
Date.now = replaced(Date.now, machine => machine.now);
performance.now = replaced(
  performance.now.bind(performance),
  ({ monotonicMs }: Machine) => monotonicMs,
);
// Another process began at another instant.
const { timeOrigin } = performance;
Object.defineProperty(performance, 'timeOrigin', {
  get: () => (machineThatPlays() === null ? timeOrigin : 0),
});
Math.random = replaced(Math.random, ({ random }) => random.next());

const bytesOf = ({ random }: Machine, size: number) =>
  Buffer.from(Array.from({ length: size }, () => random.whole(0, 255)));

Object.assign(crypto, {
  randomBytes: replaced(crypto.randomBytes as never, bytesOf as never),
  randomInt: replaced(
    crypto.randomInt as never,
    ({ random }: Machine, least: number, most?: number) =>
      most === undefined ? random.whole(0, least - 1) : random.whole(least, most - 1),
  ),
  randomUUID: replaced(crypto.randomUUID as never, machine => {
    const hex = bytesOf(machine, 16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }),
});

/** Streams that undo codings do their work on another thread, from their first bytes until they close. */
const coder = Object.getPrototypeOf(Object.getPrototypeOf(zlib.Gunzip.prototype));
const transform = coder._transform;
coder._transform = function (this: zlib.Gunzip, ...parameters: unknown[]) {
  const machine = machineThatPlays();
  if (machine !== null && this.bytesWritten === 0) machine.waitFor(once(this, 'close'));
  return transform.apply(this, parameters);
};
syncBuiltinESMExports();
