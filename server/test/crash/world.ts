import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Run, Schedule, ScheduleInput } from '@punctual/client';
import { check, MAY_COME_RIGHT, type Report } from '../../sim/model/checker.ts';
import type { Evidence, Planned, ScheduleSeen } from '../../sim/model/evidence.ts';
import { Random } from '../../sim/random.ts';
import { every, onceAfter } from '../../sim/workload.ts';
import { Api, CREDENTIALS } from '../support/crash/api.ts';
import { Process } from '../support/crash/life.ts';
import { Target } from '../support/crash/target.ts';
import { cutPower, type Shim } from './powercut.ts';
import { watchStalls } from './stall.ts';

export interface WorldOptions {
  /** `bin/punctual.js` of the sources to run; those of this checkout by default. */
  bin?: string;
  seed: number;
  kills: number;
  workload: (url: string) => ScheduleInput[];
  /** How long a life is before it is killed, at least and at most. */
  upMs: [number, number];
  /** The pause before the next one. */
  downMs: [number, number];
  /** A kill waits until this is true, and comes at once then. */
  killWhen?: (target: Target) => boolean;
  /** Of the kills, how many come before the service listens: 0 to 1. */
  earlyKills?: number;
  /** Schedules are created and triggered all the time. */
  disturbed?: boolean;
  /** Every kill takes with it what was not synced. */
  shim?: Shim;
  /** How long the last life goes on before the end is counted. */
  lastMs: number;
  /** How long what may still come right is waited for. */
  patienceMs: number;
}

/** What the checker said, and what it was shown. */
export interface Outcome extends Report {
  evidence: Evidence;
}

/** Runs the service, kills it, starts it again, and asks the checker. Leaves nothing behind. */
export async function runWorld(options: WorldOptions): Promise<Outcome> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'punctual-crash-')));
  const world = new World(options, folder);
  try {
    return await world.run();
  } catch (error) {
    throw new Error(`The world of seed ${options.seed} broke. ${world.lastLines()}`, {
      cause: error,
    });
  } finally {
    await world.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

export const BIN = join(import.meta.dirname, '../../bin/punctual.js');
/** The longest that a start may take before the test gives up. */
const START_MS = 60_000;
/** The longest that a moment to kill in is waited for: a service with a bug may never come to it. */
const MOMENT_MS = 5_000;

class World {
  readonly #options: WorldOptions;
  readonly #folder: string;
  /** For kills and pauses only, so that a seed brings the same ones again. */
  readonly #random: Random;
  readonly #whims: Random;
  readonly #target = new Target();
  readonly #processes: Process[] = [];
  readonly #acknowledged = new Map<string, Schedule>();
  readonly #triggered: string[] = [];
  readonly #startedAt = Date.now();
  /** Runs of which nothing can change any more, so that they are not asked for again. */
  readonly #ended = new Map<string, Run>();
  readonly #refused: string[] = [];
  readonly #stalls: Evidence['stalls'] = [];
  #unwatch = () => {};
  #disturbing: Promise<void> | null = null;
  #targetUrl = '';

  constructor(options: WorldOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = new Random(options.seed);
    this.#whims = new Random(options.seed + 1);
  }

  async run(): Promise<Outcome> {
    const { kills, upMs, downMs, earlyKills = 0, lastMs } = this.#options;
    this.#unwatch = watchStalls(this.#stalls);
    this.#targetUrl = await this.#target.start();
    let service = this.#spawn();
    let api = await ready(service);
    await this.#createAll(api);
    for (let kill = 0; kill < kills; kill++) {
      const isEarly = kill > 0 && this.#random.next() < earlyKills;
      if (isEarly) await sleep(this.#random.between(0, 700));
      else await this.#live(kill === 0 ? api : await ready(service), upMs);
      await service.kill();
      await this.#disturbing;
      if (this.#options.shim) this.#cutPower(service);
      await sleep(this.#random.between(...downMs));
      service = this.#spawn();
    }
    api = await ready(service);
    await this.#live(api, [lastMs, lastMs]);
    await this.#disturbing;
    const report = await this.#judge(api, Date.now());
    // Where something is wrong already, an end that is wrong as well would hide it.
    if (report.violations.length === 0) await service.stop();
    return report;
  }

  async dispose(): Promise<void> {
    this.#unwatch();
    for (const process of this.#processes) await process.dispose();
    await this.#target.stop();
  }

  #cutPower({ life }: Process): void {
    const wasWatched = cutPower(this.#database);
    if (!wasWatched && life.readyAt !== null) throw new Error('The shim was not loaded.');
  }

  lastLines(): string {
    const lines = this.#processes.at(-1)?.lines ?? [];
    return `The last lines of the service:\n${lines.join('\n')}`;
  }

  get #database(): string {
    return join(this.#folder, 'punctual.db');
  }

  #spawn(): Process {
    const { bin = BIN, shim } = this.#options;
    const service = new Process({
      bin,
      folder: this.#folder,
      environment: {
        PORT: '0',
        DATABASE_URL: `sqlite:${this.#database}`,
        PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
        PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
        PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
        ...shim?.environment(this.#database),
      },
    });
    this.#processes.push(service);
    return service;
  }

  async #createAll(api: Api): Promise<void> {
    const created = await api.createAll(this.#options.workload(this.#targetUrl));
    for (const schedule of created) this.#acknowledged.set(schedule.id, schedule);
  }

  /** Lets the service be for a while, and disturbs it to the last moment. */
  async #live(api: Api, [least, most]: [number, number]): Promise<void> {
    const over = new AbortController();
    if (this.#options.disturbed) this.#disturbing = this.#disturb(api, over.signal);
    const lifeMs = this.#random.between(least, most);
    const { killWhen } = this.#options;
    await sleep(lifeMs);
    const giveUpAt = Date.now() + MOMENT_MS;
    while (killWhen && !killWhen(this.#target) && Date.now() < giveUpAt) await sleep(1);
    over.abort();
  }

  async #disturb(api: Api, over: AbortSignal): Promise<void> {
    const create = async (interval: string) => {
      // No next time ends the retries of a one-off.
      const failing = interval.startsWith('at(') ? '/gone' : '/fail';
      const path = this.#whims.pick(['/ok', failing, '/slow/700']);
      const made = await api.create(every(interval, this.#targetUrl + path));
      this.#acknowledged.set(made.id, made);
    };
    const trigger = async () => {
      const all = [...this.#acknowledged.values()];
      // A deleted schedule takes none.
      const { id } = this.#whims.pick(
        all.filter(({ afterCompletion }) => afterCompletion !== 'delete'),
      );
      this.#triggered.push((await api.trigger(id)).id);
    };
    for (let turn = 0; !over.aborted; turn++) {
      try {
        if (turn % 2 === 1) await trigger();
        else await create(turn % 4 === 0 ? '* * * * * *' : onceAfter(5, Date.now()));
      } catch (error) {
        // What is under way when it is killed is cut off: that is what it is there for.
        if (!over.aborted) this.#refused.push((error as Error).message);
      }
      await sleep(this.#whims.between(20, 200));
    }
  }

  /** Asks the checker, again and again while something may still come right. */
  async #judge(api: Api, until: number): Promise<Outcome> {
    const giveUpAt = Date.now() + this.#options.patienceMs;
    for (;;) {
      const isLate = Date.now() > giveUpAt;
      if (isLate || !(await isUnderWay(api, until))) {
        const evidence = await this.#gather(api, until);
        const report = { ...check(evidence), evidence };
        const mayWait = report.violations.every(({ rule }) => MAY_COME_RIGHT.includes(rule));
        if (isLate || report.violations.length === 0 || !mayWait) return report;
      }
      await sleep(500);
    }
  }

  async #gather(api: Api, until: number): Promise<Evidence> {
    const listed = new Map((await api.schedules()).map(schedule => [schedule.id, schedule]));
    const all = new Map([...listed, ...this.#acknowledged]);
    const schedules = await Promise.all(
      [...all.values()].map(schedule => this.#seen(api, schedule, listed.has(schedule.id))),
    );
    const runs = await api.runs(this.#startedAt - 60_000);
    const callers = new Set(
      schedules.filter(({ integrations }) => integrations.length > 0).map(({ id }) => id),
    );
    const work = runs.entries();
    const complete = async () => {
      for (const [index, run] of work) {
        if (callers.has(run.scheduleId)) runs[index] = await this.#withCallbacks(api, run);
      }
    };
    await Promise.all(Array.from({ length: 8 }, complete));
    return {
      schedules,
      lives: this.#processes.map(({ life }) => life),
      stalls: this.#stalls,
      arrivals: this.#target.arrivals,
      callbackArrivals: this.#target.callbacks,
      runs,
      triggered: this.#triggered,
      refused: this.#refused,
      madeTwice: [],
      explained: [],
      until,
    };
  }

  async #seen(api: Api, schedule: Schedule, isListed: boolean): Promise<ScheduleSeen> {
    const { id, interval, timezone, createdAt, integrations = [] } = schedule;
    return {
      id,
      interval,
      timezone,
      createdAt: Date.parse(createdAt),
      integrations: integrations.map(({ id, callOnSuccess }) => ({ id, callOnSuccess })),
      ...(isListed && isPlanned(schedule) && { planned: await plannedOf(api, schedule) }),
      acknowledged: this.#acknowledged.has(id),
      listed: isListed,
    };
  }

  async #withCallbacks(api: Api, run: Run): Promise<Run> {
    if (run.status !== 'succeeded' && run.status !== 'failed') return run;
    const kept = this.#ended.get(run.id);
    if (kept) return kept;
    const whole = await api.run(run.id);
    const { callbacks = [] } = whole;
    const isOver = callbacks.every(({ status }) => status === 'succeeded' || status === 'failed');
    if (callbacks.length > 0 && isOver) this.#ended.set(run.id, whole);
    return whole;
  }
}

export async function ready(service: Process): Promise<Api> {
  const late = new AbortController();
  const tooLate = sleep(START_MS, null, { signal: late.signal });
  tooLate.catch(() => {});
  try {
    const url = await Promise.race([service.ready, tooLate]);
    if (url === null) throw new Error(`The service did not listen within ${START_MS} ms.`);
    return new Api(url);
  } finally {
    late.abort();
  }
}

function isPlanned({ interval, ...schedule }: Schedule): boolean {
  const fields = ['startsAt', 'endsAt', 'maxRuns', 'pausedUntil', 'windowSeconds'];
  return /^(at|rate)\(/.test(interval) || fields.some(field => field in schedule);
}

/** @param asked as its create was answered: a pause leaves the answers once it has passed */
async function plannedOf(api: Api, asked: Schedule): Promise<Planned> {
  const { startsAt, endsAt, maxRuns, pausedUntil, windowSeconds, afterCompletion } = asked;
  const { schedule, version } = await api.found(asked.id);
  const { status, statusReason, updatedAt } = schedule;
  return {
    ...(startsAt !== undefined && { startsAt: Date.parse(startsAt) }),
    ...(endsAt !== undefined && { endsAt: Date.parse(endsAt) }),
    ...(maxRuns !== undefined && { maxRuns }),
    ...(pausedUntil !== undefined && { pausedUntil: Date.parse(pausedUntil) }),
    ...(windowSeconds !== undefined && { windowSeconds }),
    afterCompletion: afterCompletion ?? 'disable',
    status,
    ...(statusReason !== undefined && { statusReason }),
    version,
    updatedAt: updatedAt === undefined ? null : Date.parse(updatedAt),
  };
}

async function isUnderWay(api: Api, until: number): Promise<boolean> {
  for (const status of ['running', 'retrying', 'queued'] as const) {
    if (await api.hasAny(status, until)) return true;
  }
  return false;
}
