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

/** A process that begins is half as fast as one that has played some dozen seeds. What it keeps grows, if only a little. */
const SEEDS_A_PROCESS = 2_000;
const WORKER = join(import.meta.dirname, 'worker.ts');

/** Plays seeds in several processes. */
export async function playAll(from: number, to: number, options: CrewOptions): Promise<void> {
  let next = from;
  let isOver = false;
  const take = () => {
    if (isOver || next > to) return null;
    next += 1;
    return next - 1;
  };
  const tell = (verdict: Verdict) => {
    if (isOver) return;
    isOver = options.bail && verdict.failure !== null;
    options.tell(verdict);
  };
  const one = async () => {
    let seed = take();
    while (seed !== null) seed = await playFrom(seed, { ...options, take, tell });
  };
  await Promise.all(Array.from({ length: options.workers }, one));
}

/**
 * One process, which is given a seed each time that it has played one. If it ends by itself, the seed that it played has failed.
 * @param first seed of it
 * @returns the first seed of the next process; null: all are given away
 */
function playFrom(
  first: number,
  { shrinks, faults, take, tell }: CrewOptions & { take(): number | null },
): Promise<number | null> {
  return new Promise(resolve => {
    const worker = fork(WORKER, [shrinks ? '1' : '0', ...faults]);
    let played = 0;
    let playing: number | null = first;
    worker.send(first);
    worker.on('message', verdict => {
      tell(verdict as Verdict);
      played += 1;
      const following = take();
      playing = played < SEEDS_A_PROCESS ? following : null;
      if (playing !== null) return worker.send(playing);
      worker.disconnect();
      return resolve(following);
    });
    worker.on('exit', code => {
      if (playing === null) return;
      tell({ seed: playing, failure: `seed ${playing} ended its process (${code})\n` });
      resolve(take());
    });
  });
}
