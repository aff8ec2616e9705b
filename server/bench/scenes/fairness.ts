import type { Statuses } from '../abuser.ts';
import { ABUSES, type Abuse, type Abused, runAbuse } from '../abuses.ts';
import type { Arrivals, Ledger } from '../arrivals.ts';
import { addClient } from '../punctual.ts';
import { curveOf, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules } from '../schedules.ts';
import type { Scene, Session } from '../session.ts';
import { type SlowTarget, startSlowTarget, type Target } from '../target.ts';
import { nextStart, watchWindow } from '../window.ts';

const SECOND_MS = 1_000;
const HOSTS = 100;
const MOST_MS = 100;

interface Targets {
  target: Target;
  arrivals: Arrivals;
  hanging: SlowTarget;
}

export const fairness: Scene = {
  name: 'fairness',
  about: 'client A does its worst, each time in another way; client B has one every second',
  defaults: { schedules: 20_000, duration: 30 },
  async run(session) {
    const { target, arrivals } = await session.startTarget(HOSTS + 1);
    const hanging = await startSlowTarget(1, null);
    session.closing(() => hanging.stop());
    await session.runBare();
    for (const abuse of ABUSES) {
      const { name, whyNot } = abuse;
      if (whyNot) session.figures.push(tells(name, whyNot));
      else await show(session, abuse, { target, arrivals, hanging });
    }
    await session.runBare();
  },
};

/** A service of its own for each. */
async function show(session: Session, abuse: Abuse, targets: Targets): Promise<void> {
  const { schedules, duration } = session.options;
  const { target, arrivals, hanging } = targets;
  const database = await session.startDatabase();
  const nodes = await session.startNodes(database, abuse.settings?.());
  const node = nodes[0]!;
  const world: Abused = { node, schedules, answers: target.url, hangs: () => hanging.url() };
  // B's comes first: it is not the newest when A's are taken.
  await createSchedules(node.url, {
    count: 1,
    group: 'b',
    interval: () => '* * * * * *',
    url: () => urlOfB(abuse, target),
    credentials: await addClient(database, 'B'),
  });
  await abuse.prepare?.(world);
  const from = nextStart(SECOND_MS, 5 * SECOND_MS);
  const window = { schedules: 1, from, periodMs: SECOND_MS, periods: duration };
  const ledger = await arrivals.expect('b', window);
  const abused = runAbuse(abuse, world, (from - Date.now()) / SECOND_MS + duration);
  await watchWindow({ session, arrivals, nodes, database, ledger, from, seconds: duration });
  tell(session, abuse.name, ledger, await abused);
  for (const each of nodes) await each.stop();
}

/** Looked up where names are slow. */
function urlOfB({ settings }: Abuse, target: Target): string {
  const url = target.url(HOSTS);
  return settings === undefined ? url : target.url().replace('127.0.0.1', 'localhost');
}

function tell(session: Session, name: string, ledger: Ledger, statuses: Statuses): void {
  const [p50, p99, last] = [0.5, 0.99, 1].map(share => ledger.latenessMs(share));
  const answered = Object.entries(statuses).map(([status, count]) => `${status}: ${whole(count)}`);
  const measured = `${ms(p50!)}, ${ms(p99!)}, ${ms(last!)}`;
  session.lateness.push(curveOf(name, ledger));
  session.figures.push(
    must(`${name}: B's p50, p99, last`, measured, `p99 ${MOST_MS} ms`, p99! < MOST_MS),
    mustAllArrive(`${name}: B's arrived`, [ledger.counted]),
    ...(answered.length > 0 ? [tells(`${name}: A was answered`, answered.join(', '))] : []),
  );
  session.say(`${name}: ${measured}; ${answered.join(', ')}`);
}
