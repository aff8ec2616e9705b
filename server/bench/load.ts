import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { messageOf, optionsOfScript, pause, startScript } from './processes.ts';

/**
 * Callers of an API, in a process of their own. They send bytes prepared in advance and read only
 * the length of an answer. A real client needs as much time for a call as the server, so it would
 * distort the measurement.
 */
export interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  /** Calls at their time, or null: each connection calls again once it is answered. */
  perSecond: number | null;
  /** Whole requests, sent in turn. */
  requests: string[];
}

export interface Load {
  perSecond: number;
  /** Of calls at their time: from that time on, however long they waited for a connection. */
  latencyMs: { p50: number; p99: number; max: number };
  answers: number;
  /** Answers other than 200. */
  refused: number;
}

export async function runLoad(options: LoadOptions): Promise<Load> {
  return messageOf<Load>(startScript('load.ts', options));
}

const WARM_UP_MS = 1_000;
const PATIENCE_MS = 10_000;

class Caller {
  readonly #socket: Socket;
  #missing = 0;
  #isGood = false;
  #answered: (isGood: boolean) => void = () => {};

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', data => this.#read(data as Buffer));
    this.#socket.on('error', error => {
      throw error;
    });
  }

  call(request: string, answered: (isGood: boolean) => void): void {
    this.#answered = answered;
    this.#socket.write(request, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }

  /** The head of an answer comes in one piece: it is short, and sent at once. */
  #read(data: Buffer): void {
    if (this.#missing === 0) {
      const text = data.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1];
      if (head === -1 || length === undefined)
        throw new Error(`no answer of known length: ${text}`);
      this.#isGood = text.startsWith('HTTP/1.1 200');
      this.#missing = head + 4 + Number(length);
    }
    this.#missing -= data.length;
    if (this.#missing === 0) this.#answered(this.#isGood);
  }
}

async function measure(options: LoadOptions): Promise<Load> {
  const { port, connections, seconds, perSecond, requests } = options;
  const idle = Array.from({ length: connections }, () => new Caller(port));
  const callers = [...idle];
  const latency = createHistogram({ highest: 600_000_000, figures: 3 });
  const startedAt = performance.now();
  const countsFrom = startedAt + WARM_UP_MS;
  const endsAt = countsFrom + seconds * 1_000;
  let sent = 0;
  let refused = 0;
  let answers = 0;

  function call(caller: Caller, dueAt: number): void {
    const request = requests[sent % requests.length]!;
    sent += 1;
    caller.call(request, isGood => {
      const now = performance.now();
      if (!isGood) refused += 1;
      if (dueAt >= countsFrom) {
        answers += 1;
        latency.record(Math.max(1, Math.round((now - dueAt) * 1_000)));
      }
      if (perSecond === null && now < endsAt) call(caller, now);
      else idle.push(caller);
    });
  }

  function callAtTimes(rate: number, now: number): void {
    while (idle.length > 0) {
      const dueAt = startedAt + (sent * 1_000) / rate;
      if (dueAt > now) return;
      call(idle.pop()!, dueAt);
    }
  }

  if (perSecond === null) for (const caller of idle.splice(0)) call(caller, startedAt);
  while (performance.now() < endsAt) {
    if (perSecond !== null) callAtTimes(perSecond, performance.now());
    await pause(perSecond === null ? 50 : 1);
  }
  const took = (performance.now() - countsFrom) / 1_000;
  const counted = answers;
  // Calls not answered yet may be the slowest, so they are awaited.
  while (idle.length < connections && performance.now() < endsAt + PATIENCE_MS) await pause(10);
  for (const caller of callers) caller.end();
  const at = (share: number) => latency.percentile(share * 100) / 1_000;
  const latencyMs = { p50: at(0.5), p99: at(0.99), max: latency.max / 1_000 };
  return { perSecond: counted / took, latencyMs, answers, refused };
}

if (import.meta.main) {
  process.send!(await measure(optionsOfScript<LoadOptions>()));
  process.disconnect!();
}
