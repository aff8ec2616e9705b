import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Arrivals } from './arrivals.ts';
import { messageOf, startScript } from './processes.ts';
import { MEASURED_FILE, type Measured } from './profile.ts';
import { type Database, Punctual, type StoreKind, startDatabase, sumOf } from './punctual.ts';
import { type Curve, type Figure, type Rate, whole } from './result.ts';
import { startTarget, type Target } from './target.ts';

/** As the command line gives them, or the scene's own. */
export interface Options {
  store: StoreKind;
  nodes: number;
  schedules: number;
  /** Of a measured window, in seconds. */
  duration: number;
  rounds: number;
  /** Schedules at rest, of the scene `growth`. */
  rest: number[];
  /** Runs in history before, of the scene `pages`. */
  runs: number;
  /** On the disk to be measured; undefined: the system's folder for temporary files. */
  folder: string | undefined;
  /** The folder for the V8 profiles of all threads of the nodes; undefined: no profiles. */
  profile: string | undefined;
}

export interface Scene {
  name: string;
  /** One sentence. */
  about: string;
  defaults: Partial<Options>;
  run(session: Session): Promise<void>;
}

/** Connections of the bare client, and of Punctual to one origin by default. */
const CONNECTIONS = 128;
/** Enough requests for the bare client to run for a second or more. */
const BARE_REQUESTS = 40_000;

/** One scene that is being measured: what it may use, and what it has found. */
export class Session implements AsyncDisposable {
  readonly options: Options;
  readonly bare: Rate[] = [];
  readonly rounds: unknown[] = [];
  readonly figures: Figure[] = [];
  readonly lateness: Curve[] = [];
  #closers = new AsyncDisposableStack();
  #target: Target | null = null;
  #measured: Measured = { firings: 0, sinceMicros: 0 };

  constructor(options: Options) {
    this.options = options;
  }

  get targetName(): string {
    return this.#target?.name ?? 'none';
  }

  /** The target that answers at once, and what arrives there. */
  async startTarget(hosts = 1): Promise<{ target: Target; arrivals: Arrivals }> {
    const target = await startTarget(hosts);
    this.closing(() => target.stop());
    const arrivals = await Arrivals.of(target);
    this.closing(() => arrivals.close());
    this.#target = target;
    return { target, arrivals };
  }

  async startDatabase(): Promise<Database> {
    const database = await startDatabase(this.options.store, this.options.folder);
    this.closing(() => database.stop());
    return database;
  }

  async startNodes(database: Database, settings: Record<string, string> = {}): Promise<Punctual[]> {
    const { profile } = this.options;
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    const nodes: Punctual[] = [];
    for (let node = 0; node < this.options.nodes; node += 1) {
      const punctual = await Punctual.start(database, settings, flags);
      this.closing(() => punctual.stop());
      nodes.push(punctual);
    }
    if (profile) this.closing(() => this.#noteMeasured(nodes, profile));
    return nodes;
  }

  closing(close: () => Promise<unknown>): void {
    this.#closers.defer(async () => void (await close()));
  }

  /** Begins the profile: earlier work, to start and to prepare, does not count. */
  async startProfile(nodes: Punctual[]): Promise<void> {
    if (!this.options.profile) return;
    const sinceMicros = Number(process.hrtime.bigint() / 1_000n);
    this.#measured = { firings: await firingsOf(nodes), sinceMicros };
  }

  async #noteMeasured(nodes: Punctual[], folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    const { firings, sinceMicros } = this.#measured;
    const measured = { firings: (await firingsOf(nodes)) - firings, sinceMicros };
    writeFileSync(join(folder, MEASURED_FILE), JSON.stringify(measured satisfies Measured));
  }

  /** The bare client on the same target: what any figure is to be seen beside. */
  async runBare(): Promise<Rate> {
    const options = { url: this.#target!.url(), count: BARE_REQUESTS, connections: CONNECTIONS };
    const rate = await messageOf<Rate>(startScript('bare.ts', options));
    this.bare.push(rate);
    const { perSecond, cpuMicros } = rate;
    this.say(`bare client: ${whole(perSecond)} requests/s, ${cpuMicros.toFixed(0)} µs each`);
    return rate;
  }

  /** The same once the nodes are stopped, where they fire all the time. */
  async runBareAfter(nodes: Punctual[]): Promise<void> {
    for (const node of nodes) await node.stop();
    await this.runBare();
  }

  say(line: string): void {
    this.progress('');
    process.stdout.write(`${line}\n`);
  }

  /** One line that the next one overwrites; nothing where nobody sits before it. */
  progress(line: string): void {
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}`);
  }

  /** Ends what was started. More may be started then. */
  async end(): Promise<void> {
    const closers = this.#closers;
    this.#closers = new AsyncDisposableStack();
    await closers.disposeAsync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

function firingsOf(nodes: Punctual[]): Promise<number> {
  return sumOf(nodes, 'punctual_runs_total{status="succeeded"}');
}
