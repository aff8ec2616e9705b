import type { Machine } from '../machine.ts';
import type { SaidSeen } from '../model/evidence.ts';
import type { Random } from '../random.ts';

/** Work that a target has begun: it answers 202, and says at this url how the attempt ended. */
export interface Begun {
  url: string;
  runId: string;
  attempt: number;
  /** How long the work takes on average. */
  meanMs: number;
}

export interface WorkOptions {
  machine: Machine;
  random: Random;
  /** Says it to the process that lives. @returns the code of its answer; null where there was none */
  say: (path: string, body: object) => Promise<number | null>;
}

/** A target that is not answered, or is told that the store is away, says it again so much later. */
const AGAIN_MS = 500;
const MOST_TRIES = 40;

/** The work of targets that answer 202. Some of it never ends, and some of it asks for more time. */
export class Work {
  readonly said: SaidSeen[] = [];
  readonly #around: WorkOptions;

  constructor(around: WorkOptions) {
    this.#around = around;
  }

  async begin(begun: Begun): Promise<void> {
    const { machine, random } = this.#around;
    const isEndless = random.chance(0.12);
    const isQuick = random.chance(0.15);
    const workMs = isQuick ? random.between(0, 8) : random.exponential(begun.meanMs);
    const extendSeconds = random.chance(0.25) ? random.whole(1, 6) : null;
    const status = random.chance(0.8) ? 'succeeded' : 'failed';
    const saysTwice = random.chance(0.1);
    await machine.sleep(workMs / 2, machine.world);
    if (extendSeconds !== null) await this.#say(begun, { extendSeconds });
    if (isEndless) return;
    await machine.sleep(workMs / 2, machine.world);
    await this.#say(begun, { status });
    if (saysTwice) await this.#say(begun, { status });
  }

  async #say(
    { url, runId, attempt }: Begun,
    body: { status: 'succeeded' | 'failed' } | { extendSeconds: number },
  ): Promise<void> {
    const { machine, say } = this.#around;
    const said: SaidSeen = {
      ...{ runId, attempt, status: null, extendSeconds: null, ...body },
      askedAt: machine.now,
      endedAt: Number.POSITIVE_INFINITY,
      code: null,
      tries: 0,
    };
    this.said.push(said);
    const path = new URL(url).pathname;
    while (said.tries < MOST_TRIES) {
      said.tries += 1;
      said.code = await say(path, body);
      said.endedAt = machine.now;
      if (said.code !== null && said.code < 500) return;
      await machine.sleep(AGAIN_MS, machine.world);
    }
  }
}
