import type { Asked } from './callers.ts';
import type { Machine } from './machine.ts';
import type { Evidence } from './model/evidence.ts';
import type { Step } from './model/steps/rules.ts';
import type { Node } from './node.ts';
import { isPlanned } from './workload.ts';

/** What a stepped world has seen of its clock. */
export interface ClockSeen {
  steps: Step[];
  /** When the processes said that it was stepped, epoch ms by the world's time. */
  told: number[];
  /** Schedules whose target answers at once, and when they were asked for. */
  prompt: Map<string, number>;
}

/** With the right clock again the engine makes its last pass after 10 s. What it has not set right by then it never does. */
const RIGHT_FOR_MS = 15_000;

/** It has a cron interval alone: what is bounded may have come to its end under a wrong clock. */
function isPrompt({ body }: Asked): boolean {
  return /\/(ok|fail)$/.test(body.url) && !isPlanned(body);
}

/** The wall clock of a world, and the machine that is suspended. */
export class Wall {
  readonly suspensions: NonNullable<Evidence['suspensions']> = [];
  readonly #machine: Machine;
  readonly #steps: Step[];
  readonly #tell: (line: string) => void;

  constructor(machine: Machine, tell: (line: string) => void) {
    this.#machine = machine;
    this.#tell = tell;
    this.#steps = [{ at: machine.trueNow, offsetMs: 0 }];
  }

  set(aheadMs: number): void {
    const byMs = aheadMs - this.#machine.aheadMs;
    if (byMs === 0) return;
    this.#tell(`the clock is set by ${byMs} ms, and is ahead by ${aheadMs} ms`);
    this.#machine.setAhead(aheadMs);
    this.#steps.push({ at: this.#machine.trueNow, offsetMs: aheadMs });
  }

  suspend(forMs: number): void {
    const from = this.#machine.trueNow;
    this.#tell(`suspended for ${forMs} ms`);
    this.#machine.suspend(forMs);
    this.suspensions.push({ from, to: from + forMs });
  }

  /** In the end the right clock goes on. */
  async goRight(): Promise<void> {
    this.set(0);
    if (this.#isStepped) await this.#machine.sleep(RIGHT_FOR_MS);
  }

  /** @returns null where nobody has set it */
  clock(nodes: Node[], asked: Asked[]): ClockSeen | null {
    if (!this.#isStepped) return null;
    return {
      steps: this.#steps,
      told: nodes.flatMap(({ toldSteps }) => toldSteps),
      prompt: new Map(
        asked
          .filter(isPrompt)
          .flatMap(({ told, toldAt }) => (told === null ? [] : [[told.id, toldAt] as const])),
      ),
    };
  }

  get #isStepped(): boolean {
    return this.#steps.length > 1;
  }
}
