import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Played } from '../../../sim/world.ts';

interface Told extends Pick<Played, 'hash' | 'violations' | 'figures'> {
  /** Requests that went through sockets. */
  sent: number;
}

/**
 * Plays worlds in a process of its own, one after the other. node:test follows each promise of its process: worlds take
 * twice as long there.
 */
export class Player {
  readonly #process = fork(join(import.meta.dirname, 'played-worlds.ts'));

  constructor() {
    // It ends with the process of the tests.
    this.#process.unref();
    this.#process.channel!.unref();
  }

  /**
   * @param faults that are on besides those that the seed has
   * @param without that are off
   */
  async play(seed: number, faults: string[] = [], without: string[] = []): Promise<Told> {
    const over = new AbortController();
    const { signal } = over;
    const told = once(this.#process, 'message', { signal }).then(([world]) => world as Told);
    const ended = once(this.#process, 'exit', { signal }).then(([code]) =>
      assert.fail(`It ended with ${code}.`),
    );
    this.#process.channel!.ref();
    this.#process.send([seed, faults, without]);
    try {
      return await Promise.race([told, ended]);
    } finally {
      over.abort();
      this.#process.channel?.unref();
    }
  }
}

/** For the worlds of all files of a process: the first ones are slow, until their code is compiled. */
export const player = new Player();
