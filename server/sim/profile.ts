import { Random } from './random.ts';
import { AWAITING_KINDS, UNHEALTHY_KINDS } from './workload.ts';

/**
 * What happens in a world, drawn before it begins. Each fault is on or off for the whole seed, so that rare ones are not
 * drowned by the others.
 */

export type Action = { at: number } & (
  | {
      kind: 'kill';
      downMs: number;
      /** Of the start that follows; null: it goes well. */
      againMs: number | null;
      /** It waits for the next call of a caller, and comes between what that wrote and its answer. */
      isAmidCall: boolean;
    }
  | { kind: 'stop'; limitMs: number; downMs: number }
  | { kind: 'refuse'; forMs: number }
  | { kind: 'slow'; forMs: number; byMs: number }
  | { kind: 'freeze'; forMs: number }
  /** Answers of the store are lost. */
  | { kind: 'lose'; forMs: number }
  | { kind: 'create'; planned: boolean; index: number }
  | { kind: 'trigger'; which: number }
  | { kind: 'explain'; which: number; offsetMs: number }
  | { kind: 'edit'; which: number; draw: number }
  /** Of the wall clock, from then on. */
  | { kind: 'step'; aheadMs: number }
  | { kind: 'suspend'; forMs: number }
);

export interface Profile {
  /** Until the world heals. */
  lengthMs: number;
  /** Cron intervals, as the crash test has them. */
  mixed: number;
  /** One-offs, rates, and schedules with bounds, windows and pauses. */
  planned: number;
  /** Schedules whose targets fail, hang, or ask for time. */
  unhealthy: number;
  /** Schedules whose targets answer 202. */
  awaiting: number;
  /** How many share the store, where they do. */
  nodes: number;
  /** To one origin, where requests go through sockets. */
  connections: number;
  faults: string[];
  /** In their order. */
  actions: Action[];
}

/** Ms between two of a kind, on average. */
const MEAN_MS: Record<Fault, (random: Random) => number> = {
  kill: () => 12_000,
  stop: () => 15_000,
  refuse: () => 15_000,
  slow: () => 15_000,
  nodes: () => Number.POSITIVE_INFINITY,
  awaiting: () => Number.POSITIVE_INFINITY,
  socket: () => Number.POSITIVE_INFINITY,
  freeze: () => 12_000,
  lose: () => 15_000,
  callers: random => random.between(1_000, 8_000),
  edits: random => random.between(1_000, 8_000),
  explains: random => random.between(500, 4_000),
  step: random => random.between(3_000, 15_000),
  suspend: () => 20_000,
  absence: () => 40_000,
};

/** How many seeds have the fault. */
export const ODDS = {
  kill: 0.6,
  stop: 0.3,
  refuse: 0.4,
  slow: 0.4,
  nodes: 0.3,
  freeze: 0.5,
  lose: 0.4,
  callers: 0.7,
  edits: 0.4,
  explains: 0.5,
  step: 0.2,
  suspend: 0.15,
  absence: 0.06,
  awaiting: 0.25,
  socket: 0.05,
};
/** These happen where nodes share the store: their odds are of those seeds. */
const OF_NODES: Action['kind'][] = ['freeze', 'lose'];
/** And these where they do not. */
const OF_ONE: Action['kind'][] = ['step', 'suspend'];

type Fault = keyof typeof ODDS;

const STARTED_AT = Date.parse('2026-03-01T12:00:00.000Z');

/** The wall clock at the start of a world, epoch ms: between two whole seconds. */
export function startedAtOf(seed: number): number {
  return STARTED_AT + (seed % 1_000);
}

/** The odds with which these faults are on in each seed. @throws RangeError where there is no such fault */
export function oddsWith(faults: readonly string[]): typeof ODDS {
  const unknown = faults.find(name => !(name in ODDS));
  if (unknown !== undefined) throw new RangeError(`There is no fault ${unknown}.`);
  return { ...ODDS, ...Object.fromEntries(faults.map(name => [name, 1])) };
}

/** Each fault has its own numbers: whether one is on, and how often, changes no other. */
export function profileOf(seed: number, odds = ODDS): Profile {
  const random = new Random(seed, 'profile');
  const lengthMs = random.between(20_000, 60_000);
  const faults: string[] = [];
  const actions: Action[] = [];
  const on = (name: Fault, make: (at: number, random: Random) => Action) => {
    const own = new Random(seed, name);
    if (!own.chance(odds[name])) return;
    faults.push(name);
    const meanMs = MEAN_MS[name](own);
    for (let at = own.exponential(meanMs); at < lengthMs; at += own.exponential(meanMs))
      actions.push(make(at, own));
  };
  on('kill', killAt);
  on('stop', stopAt);
  on('refuse', (at, own) => ({ kind: 'refuse', at, forMs: own.between(50, 8_000) }));
  on('slow', (at, own) => ({
    kind: 'slow',
    at,
    forMs: own.between(50, 4_000),
    byMs: own.between(20, 1_500),
  }));
  const startedAt = startedAtOf(seed);
  const aimed = (at: number, own: Random) => aimedAt(at, own, startedAt);
  on('callers', (at, own) => callAt(aimed(at, own), own));
  on('edits', (at, own) => editAt(aimed(at, own), own));
  on('explains', (at, own) => explainAt(aimed(at, own), own));
  on('step', (at, own) => stepAt(aimed(at, own), own));
  on('suspend', (at, own) => suspendAt(aimed(at, own), own));
  on('absence', absenceAt);
  on('nodes', fromTheBeginning);
  on('awaiting', fromTheBeginning);
  on('socket', fromTheBeginning);
  on('freeze', (at, own) => freezeAt(at, own, startedAt));
  on('lose', (at, own) => ({ kind: 'lose', at, forMs: own.between(0, 1_000) }));
  return {
    lengthMs,
    mixed: random.whole(2, 14),
    planned: random.chance(0.6) ? random.whole(1, 8) : 0,
    unhealthy: random.chance(0.5) ? random.whole(1, UNHEALTHY_KINDS) : 0,
    awaiting: awaitingOf(seed),
    nodes: new Random(seed, 'node count').whole(2, 4),
    connections: new Random(seed, 'connections').pick([2, 3, MANY, MANY]),
    faults,
    actions: actions.toSorted((a, b) => a.at - b.at),
  };
}

function fromTheBeginning(): never {
  throw new Error('They are there from the beginning.');
}

/** The first number of theirs says whether there are any. */
function awaitingOf(seed: number): number {
  const random = new Random(seed, 'awaiting');
  random.next();
  return random.whole(1, AWAITING_KINDS);
}

/** Nothing waits for a connection. */
export const MANY = 64;

/** Whether requests go through sockets. The rules of a clock that is set take targets for prompt, which these are not. */
export function usesSockets({ faults }: Pick<Profile, 'faults'>): boolean {
  return faults.includes('socket') && !faults.includes('step');
}

/** To one origin. Nodes never wait for one: a node that is not told of a change starts what waits after it was answered. */
export function connectionsIn(profile: Pick<Profile, 'faults' | 'connections'>): number {
  return hasNodes(profile) ? MANY : profile.connections;
}

/** Whether nodes share the store. */
export function hasNodes({ faults }: Pick<Profile, 'faults'>): boolean {
  return faults.includes('nodes');
}

/** How many schedules have targets that answer 202. Beside nodes there are none: no rule has judged them there. */
export function awaitingIn({ faults, awaiting }: Profile): number {
  return faults.includes('awaiting') && !hasNodes({ faults }) ? awaiting : 0;
}

/** What happens in a world: not all faults can be judged beside all others. */
export function playedOf({ faults, actions }: Profile): Action[] {
  const others = hasNodes({ faults }) ? OF_ONE : notOfNodes(faults);
  return actions.filter(({ kind }) => !others.includes(kind));
}

/** The rules know what callers change and ask by one clock only, on a machine that goes on. */
function notOfNodes(faults: string[]): Action['kind'][] {
  const hasOneClock = !faults.includes('step') && !faults.includes('suspend');
  return hasOneClock ? OF_NODES : [...OF_NODES, 'edit', 'explain'];
}

/**
 * Some outlast the lease of what the node holds. Most come a little after a whole second, when requests wait for a connection.
 * The world begins so many ms after one.
 */
function freezeAt(at: number, random: Random, startedAt: number): Action {
  const second = Math.max(1, Math.round(at / 1_000)) * 1_000 - (startedAt % 1_000);
  const aimed = random.chance(0.7) ? second + random.between(2, 40) : at;
  const forMs = random.chance(0.2) ? random.between(8_000, 15_000) : random.between(50, 4_000);
  return { kind: 'freeze', at: aimed, forMs };
}

function killAt(at: number, random: Random): Action {
  const downMs = downMsOf(random);
  const againMs = random.chance(0.15) ? random.between(0, 400) : null;
  return { kind: 'kill', at, downMs, againMs, isAmidCall: random.chance(0.3) };
}

function stopAt(at: number, random: Random): Action {
  const limitMs = random.pick([0, 100, 1_000, 10_000]);
  return { kind: 'stop', at, limitMs, downMs: downMsOf(random) };
}

/** So long that one record stands for more times than history lists. */
function absenceAt(at: number, random: Random): Action {
  const downMs = random.between(900_000, 1_500_000);
  return { kind: 'kill', at, downMs, againMs: null, isAmidCall: false };
}

/** Often at a nominal time, or a millisecond beside it. @param startedAt of the world: nominal times are whole seconds of its clock */
function aimedAt(at: number, random: Random, startedAt: number): number {
  const whole = Math.round((startedAt + at) / 1_000) * 1_000 - startedAt;
  const beside = random.chance(0.5) ? whole + random.whole(-2, 2) : at;
  return Math.max(0, beside);
}

function editAt(at: number, random: Random): Action {
  return { kind: 'edit', at, which: random.next(), draw: random.next() };
}

/** Of a time that has come or is to come, or of an instant beside it. */
function explainAt(at: number, random: Random): Action {
  const which = random.next();
  const besideMs = random.chance(0.2) ? random.whole(-2, 2) : 0;
  return { kind: 'explain', at, which, offsetMs: random.whole(-8, 3) * 1_000 + besideMs };
}

const YEAR_MS = 365 * 86_400_000;

/** Now and then somebody sets it right. */
function stepAt(at: number, random: Random): Action {
  if (random.chance(0.4)) return { kind: 'step', at, aheadMs: 0 };
  const sizeMs = random.chance(0.01)
    ? random.pick([1, 4]) * YEAR_MS
    : Math.round(1_000 * 3_600 ** random.next());
  return { kind: 'step', at, aheadMs: random.chance(0.5) ? sizeMs : -sizeMs };
}

function suspendAt(at: number, random: Random): Action {
  const forMs = random.chance(0.8) ? random.whole(6_000, 20_000) : random.whole(20_000, 180_000);
  return { kind: 'suspend', at, forMs };
}

function callAt(at: number, random: Random): Action {
  if (random.chance(0.5)) return { kind: 'trigger', at, which: random.next() };
  const planned = random.chance(0.5);
  return { kind: 'create', at, planned, index: random.whole(0, 79) };
}

function downMsOf(random: Random): number {
  return random.chance(0.85) ? random.between(0, 1_500) : random.between(1_500, 20_000);
}
