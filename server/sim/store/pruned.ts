import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../src/store/contract/store.ts';
import type { Machine } from '../machine.ts';
import type { HistorySeen, PrunedSeen } from '../model/evidence.ts';

/** What a world keeps of the runs that retention takes away: the rules judge them with the others. */
export class Pruned {
  readonly seen: PrunedSeen[] = [];
  readonly kept = { runsDays: 1, failedRunsDays: 1 };
  readonly #machine: Machine;
  readonly #database: DatabaseSync;
  readonly #list: () => Promise<HistorySeen>;

  /**
   * @param failedRunsDays for how long failed runs are kept
   * @param list all runs as history tells them
   */
  constructor(
    machine: Machine,
    database: DatabaseSync,
    failedRunsDays: number,
    list: () => Promise<HistorySeen>,
  ) {
    this.#machine = machine;
    this.#database = database;
    this.#list = list;
    this.kept.failedRunsDays = failedRunsDays;
    database.exec(`
      CREATE TEMP TABLE pruned_versions AS SELECT * FROM schedule_versions WHERE false;
      CREATE TEMP TRIGGER keep_versions BEFORE DELETE ON schedule_versions BEGIN
        INSERT INTO pruned_versions SELECT * FROM schedule_versions
        WHERE schedule_key = OLD.schedule_key AND version = OLD.version;
      END`);
  }

  /** The store of a process, watched. */
  watched(store: Store): Store {
    const { runs } = store;
    const prune: Store['runs']['prune'] = async limits => {
      const before = this.#count();
      const all = before === 0 ? null : await this.#list();
      const count = await runs.prune(limits);
      if (count > 0 && all !== null) await this.#note(all);
      return count;
    };
    return { ...store, runs: { ...runs, prune } };
  }

  /** The model needs all versions of a schedule to know its times. */
  restoreVersions(): void {
    this.#database.exec('INSERT OR IGNORE INTO schedule_versions SELECT * FROM pruned_versions');
  }

  /** Most calls find nothing to take away, and listing all takes longer than they do. */
  #count(): number {
    const { count } = this.#database
      .prepare('SELECT count(*) AS count FROM runs WHERE scheduled_for < ?')
      .get(this.#machine.now - LEAST_KEPT_MS) as { count: number };
    return count;
  }

  async #note({ runs, decidedAt }: HistorySeen): Promise<void> {
    const left = new Set((await this.#list()).runs.map(({ id }) => id));
    const { now: at, trueNow: trueAt } = this.#machine;
    for (const run of runs.filter(({ id }) => !left.has(id)))
      this.seen.push({ at, trueAt, run, decidedAt: decidedAt[run.id] });
  }
}

/** A bug that takes younger runs away takes them as well. */
const LEAST_KEPT_MS = 12 * 3_600_000;
