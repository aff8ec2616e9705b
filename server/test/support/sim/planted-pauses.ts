import type { NodeBug } from './planted-nodes.ts';

/** Bugs of pauses of the installation, which the simulator must find. */

const PAUSING = 'pausing.ts';

export const PAUSE_BUGS: NodeBug[] = [
  bug('a pause stops no engine', ['firedPaused'], {
    file: PAUSING,
    find: 'void this.#engine?.stop();',
    replace: '',
  }),
  bug('a pause waits for what is in flight as long as a stop does', ['cutInPause'], {
    file: PAUSING,
    find: 'void this.#engine?.stop();',
    replace: 'void this.#engine?.stop(this.#options.stopMs);',
  }),
  bug('a pause is heard of at the start only', ['firedPaused'], {
    file: PAUSING,
    find: 'const since = await this.#options.pausedSince();',
    replace: 'const since = this.#timer === null ? await this.#options.pausedSince() : null;',
  }),
  bug('a process that started in a pause stays so', ['unrecorded', 'unfinished'], {
    file: PAUSING,
    find: 'else if (this.#isPaused || this.#engine === null)',
    replace:
      'else if ((this.#isPaused || this.#engine === null) && (this.#timer === null || !this.#isFirst))',
  }),
  bug('after a resume nobody knows what had been sent', ['lostWithoutCrash'], {
    file: PAUSING,
    find: 'this.#isPaused = true;',
    replace: 'this.#isPaused = true;\n      this.#isFirst = false;',
  }),
  bug('what passed in a pause is not said to have', ['causeWrong'], {
    file: 'domain/run/unseen.ts',
    find: 'return pauses.map(({ since, until }) => ({',
    replace: 'return pauses.slice(0, 0).map(({ since, until }) => ({',
  }),
  bug('a pause is said to have ended when it began', ['causeWrong'], {
    file: 'domain/run/unseen.ts',
    find: 'until: until + RESUMED_WITHIN_MS,',
    replace: 'until: since + RESUMED_WITHIN_MS,',
  }),
];

function bug(name: string, rules: NodeBug['rules'], patch: NodeBug['patches'][number]): NodeBug {
  return { name, rules, patches: [patch], faults: ['pause'] };
}
