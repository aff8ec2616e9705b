import type { Ledger } from '../arrivals.ts';
import { type Asked, type AskedPage, askAll } from '../asking.ts';
import { fillStore } from '../filled-store.ts';
import { firstViews } from '../first-view.ts';
import { questionsOf } from '../questions.ts';
import { type Figure, median, ms, must, mustAllArrive, tells, whole } from '../result.ts';
import { createSchedules, everyMinute } from '../schedules.ts';
import type { Scene } from '../session.ts';
import { nextStart, watchWindow } from '../window.ts';
import { minutesOf } from './steady.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Every minute each: 1,000 a second. */
const FIRING = 60_000;
/** Among which these are spread. A number without divisors of 60: those of one second are spread over all. */
const HOSTS = 101;
/** Of each million of schedules. */
const RETRYING = 36_000;
const MOST_MS = 300;
const FIRST_VIEW_MS = 1_000;
const FIRST_VIEWS = 10;

export const pages: Scene = {
  name: 'pages',
  about:
    'everything that the pages of the dashboard ask, of 1,000,000 schedules and 10,000,000 runs, ' +
    'while 1,000 firings/s go on',
  defaults: { schedules: 1_000_000, runs: 10_000_000, duration: 300 },
  async run(session) {
    const { schedules, runs, duration } = session.options;
    const { target, arrivals } = await session.startTarget(HOSTS);
    const database = await session.startDatabase();
    const retrying = Math.ceil((schedules * RETRYING) / 1_000_000);
    await fillStore(database, { schedules, runs, retrying }, line => session.progress(line));
    const nodes = await session.startNodes(database);
    const base = nodes[0]!.url;
    const url = (index: number) => target.url(index % HOSTS);
    const made = { count: FIRING, group: 'a', interval: everyMinute, url };
    await createSchedules(base, made);
    const questions = await questionsOf(base, schedules);

    const fire = async (periods: number): Promise<Ledger> => {
      const from = nextStart(SECOND_MS, 1_500);
      const window = { schedules: FIRING, from, periodMs: MINUTE_MS, periods };
      const ledger = await arrivals.expect('a', window);
      const seconds = periods * 60;
      await watchWindow({ session, arrivals, nodes, database, ledger, from, seconds });
      return ledger;
    };
    const alone = await fire(1);
    const [{ asked, pages }, beside] = await Promise.all([
      askAll(base, questions, minutesOf(duration) * 60, round =>
        session.progress(`round ${round}`),
      ),
      fire(minutesOf(duration)),
    ]);
    const [views, viewed] = await Promise.all([firstViews(base, FIRST_VIEWS), fire(1)]);
    session.rounds.push(...asked);
    session.figures.push(
      ...pageFigures(asked, pages),
      ...slowest(asked),
      must(
        'first view in Chromium, median of 10',
        `${ms(Math.round(median(views)))}, slowest ${ms(Math.round(Math.max(...views)))}`,
        ms(FIRST_VIEW_MS),
        median(views) < FIRST_VIEW_MS,
      ),
      tells('firings', `${whole(FIRING / 60)} /s`),
      tells('lateness p50, p99 while pages are asked', lateness(beside)),
      tells(
        'lateness p50, p99 alone; while Chromium runs',
        `${lateness(alone)}; ${lateness(viewed)}`,
      ),
      mustAllArrive(
        'arrived',
        [alone, beside, viewed].map(({ counted }) => counted),
      ),
      tells('answers other than 200', faultsOf(asked)),
      tells('memory, at most', await memoryOf(nodes)),
    );
  },
};

function lateness(ledger: Ledger): string {
  return `${ms(ledger.latenessMs(0.5))}, ${ms(ledger.latenessMs(0.99))}`;
}

/** Of each page all answers, and beside them the question that was slowest: of few answers p99 is the longest. */
function pageFigures(asked: Asked[], pages: AskedPage[]): Figure[] {
  return pages.map(({ page, p50, p99, answers }) => {
    const slowest = asked.filter(each => each.page === page).toSorted((a, b) => b.maxMs - a.maxMs);
    const [{ name, maxMs }] = slowest as [Asked];
    const measured = `${ms(p99)} of ${whole(answers)} answers; median ${ms(p50)}; longest ${ms(maxMs)} (${name})`;
    return must(`${page}, p99`, measured, ms(MOST_MS), p99 < MOST_MS);
  });
}

/** The question that took longest the first time, when nothing was counted yet. */
function slowest(asked: Asked[]): Figure[] {
  const first = asked.toSorted((a, b) => b.firstMs - a.firstMs).slice(0, 3);
  const listed = first.map(({ page, name, firstMs }) => `${page}, ${name}: ${ms(firstMs)}`);
  return [tells('slowest first answers after a start', listed.join('; '))];
}

function faultsOf(asked: Asked[]): string {
  const faults = asked.filter(({ fault }) => fault !== null);
  return faults.map(({ name, fault }) => `${name}: ${fault}`).join('; ') || 'none';
}

async function memoryOf(nodes: { memoryMb(): Promise<number> }[]): Promise<string> {
  const memory = await Promise.all(nodes.map(node => node.memoryMb()));
  return `${whole(memory.reduce((sum, mb) => sum + mb, 0))} MB`;
}
