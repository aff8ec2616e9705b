import { AGAIN_MS } from './call-once.ts';
import type { Commands } from './commands.ts';
import type { Machine } from './machine.ts';
import type { HaltSeen } from './model/evidence-of-halts.ts';

/** The operator who pauses and resumes the installation. */
export class Pauses {
  readonly seen: HaltSeen[] = [];
  readonly #machine: Machine;
  readonly #commands: Commands;
  readonly #tell: (line: string) => void;
  #isOver = false;

  constructor(machine: Machine, commands: Commands, tell: (line: string) => void) {
    this.#machine = machine;
    this.#commands = commands;
    this.#tell = tell;
  }

  async pause(forMs: number): Promise<void> {
    const machine = this.#machine;
    if (this.#isOver || this.seen.some(({ backBy }) => backBy === Infinity)) return;
    this.#tell(`pause for ${Math.round(forMs)} ms`);
    const pause = await this.#commands.halt(this.seen, store =>
      store.installation.pause(machine.now),
    );
    await machine.sleep(forMs, machine.world);
    if (!this.#isOver) await this.#resume(pause);
  }

  /** What is paused is resumed. */
  async heal(): Promise<void> {
    this.#isOver = true;
    const last = this.seen.at(-1);
    if (last === undefined) return;
    await this.#resume(last);
    while (last.backBy === Infinity) await this.#machine.sleep(AGAIN_MS);
  }

  #resume(pause: HaltSeen): Promise<void> {
    return this.#commands.goOn(pause, 'resume', store =>
      store.installation.resume(this.#machine.now),
    );
  }
}
