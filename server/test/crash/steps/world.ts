import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schedule } from '@punctual/client';
import { checkSteps, type StepEvidence } from '../../../sim/model/steps/checker.ts';
import type { StepViolation } from '../../../sim/model/steps/rules.ts';
import { Random } from '../../../sim/random.ts';
import { every } from '../../../sim/workload.ts';
import { type Api, CREDENTIALS } from '../../support/crash/api.ts';
import { Process } from '../../support/crash/life.ts';
import { Target } from '../../support/crash/target.ts';
import { watchStalls } from '../stall.ts';
import { BIN, ready } from '../world.ts';
import { FakedClock } from './faked-clock.ts';

export interface StepOptions {
  /** `bin/punctual.js` of the sources to run; those of this checkout by default. */
  bin?: string;
  seed: number;
  kills: number;
  /** Steps in each life of the process. */
  stepsPerLife: number;
  /** How long the clock goes on between two steps, at least and at most. */
  steadyMs: [number, number];
  /** Schedules of each kind. */
  schedulesPerKind: number;
  /** How long the right clock goes on in the end. */
  lastMs: number;
  /** How long what may still come right is waited for. */
  patienceMs: number;
}

export interface Outcome {
  violations: StepViolation[];
  evidence: StepEvidence;
}

const HOUR_MS = 3_600_000;
/** By how much the clock is wrong: seconds and minutes; a zone that was mistaken; no battery; 2030. */
const OFFSETS_MS = [3, 20, 90, -3, -20, -90].map(seconds => seconds * 1_000);
const FAR_OFFSETS_MS = [HOUR_MS, -HOUR_MS, 4 * 365 * 24 * HOUR_MS, -365 * 24 * HOUR_MS];
/** A step is counted by then, mostly. */
const COUNTED_MS = 1_500;
/** The longest that a count is waited for: two steps that come before one look of a busy service are one to it. */
const MOST_COUNTED_MS = 20_000;

/** Runs the service, steps its clock, kills it, starts it again, and asks the checker. */
export async function runSteppedWorld(options: StepOptions): Promise<Outcome> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'punctual-steps-')));
  const world = new SteppedWorld(options, folder);
  try {
    return await world.run();
  } catch (error) {
    const message = `The world of seed ${options.seed} broke. ${world.lastLines()}`;
    throw new Error(message, { cause: error });
  } finally {
    await world.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

class SteppedWorld {
  readonly #options: StepOptions;
  readonly #folder: string;
  readonly #random: Random;
  readonly #target = new Target();
  readonly #clock: FakedClock;
  readonly #processes: Process[] = [];
  readonly #stalls: StepEvidence['stalls'] = [];
  readonly #explained: StepEvidence['explained'] = [];
  readonly #counted: StepEvidence['counted'] = [];
  #schedules: Schedule[] = [];
  #prompt = new Map<string, number>();
  #unwatch = () => {};

  constructor(options: StepOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = new Random(options.seed);
    this.#clock = new FakedClock(folder);
  }

  async run(): Promise<Outcome> {
    const { kills, lastMs } = this.#options;
    this.#unwatch = watchStalls(this.#stalls);
    const url = await this.#target.start();
    let service = this.#spawn();
    let api = await ready(service);
    await this.#createAll(api, url);
    for (let kill = 0; kill < kills; kill++) {
      if (kill > 0) api = await ready(service);
      await this.#live(api);
      await service.kill();
      // Now and then the clock is set while nobody looks.
      if (this.#random.next() < 0.5) this.#clock.set(this.#offset());
      await sleep(this.#random.between(0, 1_500));
      service = this.#spawn();
    }
    api = await ready(service);
    await this.#live(api);
    if (this.#offsetMs !== 0) this.#clock.set(0);
    await sleep(lastMs);
    const outcome = await this.#judge(api);
    if (outcome.violations.length === 0) await service.stop();
    return outcome;
  }

  async dispose(): Promise<void> {
    this.#unwatch();
    for (const process of this.#processes) await process.dispose();
    await this.#target.stop();
  }

  lastLines(): string {
    const lines = this.#processes.at(-1)?.lines ?? [];
    return `The last lines of the service:\n${lines.join('\n')}`;
  }

  get #offsetMs(): number {
    return this.#clock.steps.at(-1)!.offsetMs;
  }

  #spawn(): Process {
    const service = new Process({
      bin: this.#options.bin ?? BIN,
      folder: this.#folder,
      environment: {
        PORT: '0',
        DATABASE_URL: `sqlite:${join(this.#folder, 'punctual.db')}`,
        PUNCTUAL_ALLOW_TARGETS: '127.0.0.0/8',
        PUNCTUAL_CLIENT_ID: CREDENTIALS.clientId,
        PUNCTUAL_API_KEY: CREDENTIALS.apiKey,
        ...this.#clock.environment,
      },
    });
    this.#processes.push(service);
    return service;
  }

  async #createAll(api: Api, url: string): Promise<void> {
    const callback = [{ type: 'WEBHOOK' as const, url: `${url}/callback/ok` }];
    const kinds = [
      every('* * * * * *', `${url}/ok`),
      every('* * * * * *', `${url}/fail`, 'Europe/Berlin', callback),
      every('1-59/5 * * * * *', `${url}/ok`, 'Asia/Kolkata'),
      every('*/10 * * * * *', `${url}/flaky`, 'UTC', callback),
      every('* * * * * *', `${url}/slow/700`, 'America/New_York'),
    ];
    const inputs = kinds.flatMap(kind => Array(this.#options.schedulesPerKind).fill(kind));
    this.#schedules = await api.createAll(inputs);
    const isPrompt = ({ url }: Schedule) => url.endsWith('/ok') || url.endsWith('/fail');
    this.#prompt = new Map(this.#schedules.filter(isPrompt).map(({ id }) => [id, 0]));
  }

  /** Steps the clock some times, and asks after each step what the service makes of it. */
  async #live(api: Api): Promise<void> {
    let made = 0;
    await this.#goOn(api);
    for (let step = 0; step < this.#options.stepsPerLife; step++) {
      const before = this.#offsetMs;
      this.#clock.set(before !== 0 && this.#random.next() < 0.6 ? 0 : this.#offset());
      if (this.#offsetMs !== before) made++;
      await this.#goOn(api, made);
    }
    this.#counted.push({ told: await stepsToldBy(api), made });
  }

  async #goOn(api: Api, made = 0): Promise<void> {
    const giveUpAt = Date.now() + MOST_COUNTED_MS;
    await sleep(COUNTED_MS);
    while ((await stepsToldBy(api)) < made && Date.now() < giveUpAt) await sleep(100);
    const ahead = Math.ceil((Date.now() + this.#offsetMs) / 1_000 + 20) * 1_000;
    const { id } = this.#random.pick(this.#schedules.filter(s => s.interval === '* * * * * *'));
    const { verdict } = await api.explain(id, ahead);
    this.#explained.push({ at: ahead, verdict });
    await sleep(this.#random.between(...this.#options.steadyMs));
  }

  #offset(): number {
    const isFar = this.#random.next() < 0.3;
    return this.#random.pick(isFar ? FAR_OFFSETS_MS : OFFSETS_MS);
  }

  /** Asks the checker, again and again while something may still come right. */
  async #judge(api: Api): Promise<Outcome> {
    const until = Math.floor(Date.now() / 1_000) * 1_000 - 1_000;
    const giveUpAt = Date.now() + this.#options.patienceMs;
    for (;;) {
      const evidence = await this.#gather(api, until);
      const violations = checkSteps(evidence);
      if (violations.length === 0 || Date.now() > giveUpAt) return { violations, evidence };
      await sleep(1_000);
    }
  }

  async #gather(api: Api, until: number): Promise<StepEvidence> {
    return {
      schedules: this.#schedules.map(
        ({ id, interval, timezone, createdAt, integrations = [] }) => ({
          id,
          interval,
          timezone,
          createdAt: Date.parse(createdAt),
          integrations,
          acknowledged: true,
          listed: true,
        }),
      ),
      lives: this.#processes.map(({ life }) => life),
      steps: this.#clock.steps,
      stalls: this.#stalls,
      arrivals: this.#target.arrivals,
      callbacks: this.#target.callbacks,
      said: [],
      runs: await api.runs(0),
      explained: this.#explained,
      counted: this.#counted,
      prompt: this.#prompt,
      since: 0,
      until,
    };
  }
}

function stepsToldBy(api: Api): Promise<number> {
  return api.metric('punctual_clock_steps_total');
}
