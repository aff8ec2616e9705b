import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '../arrivals.ts';
import { fillStore } from '../filled-store.ts';
import { temporaryFolder } from '../processes.ts';
import { type Database, Punctual, runCommand, unwantedOf } from '../punctual.ts';
import { curveOf, median, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';
import { nextStart, watchWindow } from '../window.ts';

const SECOND_MS = 1_000;
const BACKUPS = 3;
/** At rest, with the history. */
const AT_REST = 10_000;
/** As long as the copy fires on. */
const RESTORED_SECONDS = 10;

interface Made {
  file: string;
  bytes: number;
  ms: number;
}

export const backup: Scene = {
  name: 'backup',
  about:
    'punctual backup, three times, of a store with 1,000,000 runs, while 1,000 schedules fire every ' +
    'second; then a start on the copy',
  defaults: { schedules: 1_000, runs: 1_000_000, duration: 20 },
  async run(session) {
    const { schedules, runs, duration, store } = session.options;
    if (store !== 'sqlite') throw new Error('punctual backup copies the embedded store only');
    const { target, arrivals } = await session.startTarget();
    const database = await session.startDatabase();
    await fillStore(database, { schedules: AT_REST, runs, retrying: 1 }, line =>
      session.progress(line),
    );
    const nodes = await session.startNodes(database);
    const url = () => target.url();
    const wanted = { count: schedules, group: 'a', interval: () => '* * * * * *', url };
    await createSchedules(nodes[0]!.url, wanted);
    const folder = temporaryFolder(session.options.folder);
    const copy = (name: string) => backUp(database, join(folder, name));
    const fire = async (on: Punctual[], seconds: number) => {
      const from = nextStart(SECOND_MS, 1_500);
      const window = { schedules, from, periodMs: SECOND_MS, periods: seconds };
      const ledger = await arrivals.expect('a', window);
      await watchWindow({ session, arrivals, nodes: on, database, ledger, from, seconds });
      return { from, ledger };
    };

    // Tells how long the windows have to be that a backup fills.
    const first = await copy('first.db');
    const seconds = Math.ceil(first.ms / SECOND_MS) + 2;
    const before = await fire(nodes, duration);
    const during: Ledger[] = [];
    const copies: Made[] = [];
    for (let number = 1; number <= BACKUPS; number += 1) {
      const beside = fire(nodes, seconds);
      copies.push(await copy(`${number}.db`));
      during.push((await beside).ledger);
    }
    const after = await fire(nodes, duration);
    const unwanted = await unwantedOf(nodes);
    await nodes[0]!.stop();
    const until = after.from + duration * SECOND_MS;
    const recorded = countSucceeded(database.url, before.from, until);
    const due = (schedules * (until - before.from)) / SECOND_MS;

    // Before a service opens one of them.
    const sound = intact(copies);
    const restored = await startOn(session, copies.at(-1)!);
    const onCopy = await fire([restored], RESTORED_SECONDS);
    const ledgers = [before.ledger, ...during, after.ledger];
    session.lateness.push(curveOf('before', before.ledger), curveOf('during', during[0]!));
    session.figures.push(
      tells('firings', `${whole(schedules)} /s, all at the full second`),
      tells('lateness p50, p99, last: before', lateness(before.ledger)),
      ...during.map((ledger, index) => tells(`during backup ${index + 1}`, lateness(ledger))),
      tells('after', lateness(after.ledger)),
      tells('a backup takes, median', ms(Math.round(median(copies.map(made => made.ms))))),
      tells('size of the copy; of the store with its log', sizes(copies.at(-1)!, database)),
      mustAllArrive(
        'arrived in these windows',
        ledgers.map(({ counted }) => counted),
      ),
      must(
        'recorded as succeeded, from the first window to the last',
        `${whole(recorded)} of ${whole(due)}`,
        'all',
        recorded === due,
      ),
      must('failed, skipped or missed', unwanted, 'none', unwanted === 'none'),
      must('copies that pass integrity_check', `${whole(sound)}`, `${BACKUPS}`, sound === BACKUPS),
      mustAllArrive('the copy fires on', [onCopy.ledger.counted]),
    );
  },
};

async function backUp(database: Database, file: string): Promise<Made> {
  const startedAt = performance.now();
  const { bytes } = JSON.parse(await runCommand(database, ['backup', file, '--json']));
  return { file, bytes, ms: performance.now() - startedAt };
}

async function startOn(session: Session, { file }: Made): Promise<Punctual> {
  const copy: Database = { url: `sqlite:${file}`, bytes: () => null, async stop() {} };
  const restored = await Punctual.start(copy);
  session.closing(() => restored.stop());
  return restored;
}

/** Runs of the schedules of the scene: the others' nominal times are in the past. */
function countSucceeded(url: string, from: number, until: number): number {
  const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
  const { count } = database
    .prepare(`
      SELECT count(*) AS count FROM runs
      WHERE scheduled_for >= ? AND scheduled_for < ? AND status = 'succeeded'`)
    .get(from, until) as { count: number };
  database.close();
  return count;
}

function intact(copies: Made[]): number {
  return copies.filter(({ file }) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const [row] = database.prepare('PRAGMA integrity_check').all();
    database.close();
    return row!.integrity_check === 'ok';
  }).length;
}

function lateness(ledger: Ledger): string {
  return [0.5, 0.99, 1].map(share => ms(ledger.latenessMs(share))).join(', ');
}

function sizes({ bytes }: Made, database: Database): string {
  return [bytes, database.bytes()!].map(size => `${whole(size / 1e6)} MB`).join('; ');
}
