import { fork } from 'node:child_process';
import { join } from 'node:path';

/** What a process says of one seed. */
export interface Verdict {
  seed: number;
  /** As people read it; null: every promise was kept. */
  failure: string | null;
}

export interface CrewOptions {
  workers: number;
  /** End at the first failure. */
  bail: boolean;
  /** Make failures smaller before they are told. */
  shrinks: boolean;
  /** That are on in each seed. */
  faults: string[];
  tell(verdict: Verdict): void;
}

/** A process is not asked for more: what it keeps would slow it down, and its end names few seeds. */
const SEEDS_A_PROCESS = 50;
const WORKER = join(import.meta.dirname, 'worker.ts');

/** Plays seeds in several processes. */
export async function playAll(from: number, to: number, options: CrewOptions): Promise<void> {
  let next = from;
  let isOver = false;
  const tell = (verdict: Verdict) => {
    if (isOver) return;
    isOver = options.bail && verdict.failure !== null;
    options.tell(verdict);
  };
  const one = async () => {
    while (next <= to && !isOver) {
      const first = next;
      next = Math.min(first + SEEDS_A_PROCESS, to + 1);
      await portion(first, next - 1, options, tell, () => isOver);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, one));
}

function portion(
  from: number,
  to: number,
  options: CrewOptions,
  tell: (verdict: Verdict) => void,
  isOver: () => boolean,
): Promise<void> {
  return new Promise(resolve => {
    const { shrinks, faults } = options;
    const worker = fork(WORKER, [...[from, to, shrinks ? 1 : 0].map(String), ...faults]);
    let seed = from;
    worker.on('message', verdict => {
      seed += 1;
      tell(verdict as Verdict);
      if (isOver()) worker.kill();
    });
    worker.on('exit', code => {
      // The seed that ended its process is told; those after it are played by another one.
      if (seed > to || isOver()) return resolve();
      tell({ seed, failure: `seed ${seed} ended its process (${code})\n` });
      resolve(seed < to ? portion(seed + 1, to, options, tell, isOver) : undefined);
    });
  });
}
