import { crowdOf } from './crowd.ts';
import { type Long, longOf } from './long/long.ts';
import { isNight, nightsOf, stretched } from './long/stretched.ts';
import {
  apartFrom,
  type ClientChange,
  clientActionAt,
  clientCountOf,
  clientsIn,
} from './profile-of-clients.ts';
import { type ClockAction, pauseAt, stepAt, suspendAt } from './profile-of-clock.ts';
import { Random } from './random.ts';
import { STEERED_KINDS } from './steered-workload.ts';
import { AWAITING_KINDS, UNHEALTHY_KINDS } from './workload.ts';

/**
 * What happens in a world, drawn before it begins. Each fault is on or off for the whole seed, so that rare ones are not
 * drowned by the others.
 */

export type Action =
  | ClockAction
  | ({ at: number } & (
      | {
          kind: 'kill';
          downMs: number;
          /** Of the start that follows; null: it goes well. */
          againMs: number | null;
          /** It waits for the next call of a caller, and comes between what that wrote and its answer. */
          isAmidCall: boolean;
        }
      | { kind: 'stop'; limitMs: number; downMs: number }
      /** Of the machine: the lock's file is lost with the process. */
      | { kind: 'powerCut'; downMs: number }
      | { kind: 'refuse'; forMs: number }
      | { kind: 'slow'; forMs: number; byMs: number }
      | { kind: 'freeze'; forMs: number }
      /** Answers of the store are lost. */
      | { kind: 'lose'; forMs: number }
      | { kind: 'create'; planned: boolean; index: number }
      | { kind: 'trigger'; which: number }
      | { kind: 'explain'; which: number; offsetMs: number }
      /** Of the next times. */
      | { kind: 'next'; which: number; count: number }
      | { kind: 'edit'; which: number; draw: number }
      /** Two edits of one schedule at once. */
      | { kind: 'race'; which: number; draw: number }
      /** Asks for figures: of all, or of one schedule. */
      | { kind: 'count'; which: number; isOfAll: boolean; share: number }
      | { kind: 'client'; which: number; change: ClientChange }
      /** Of a destination. */
      | { kind: 'limit'; draw: number }
      /** Of a calendar. */
      | { kind: 'calendar'; draw: number }
    ));

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
  /** Schedules whose targets steer them. */
  steered: number;
  /** How many share the store, where they do. */
  nodes: number;
  /** How many clients there are, where there are several. */
  clients: number;
  /** How many schedules are due at once, where there is a crowd. */
  crowd: number;
  /** What the world is, where it is a long one. */
  long: Long;
  /** To one origin, where requests go through sockets. */
  connections: number;
  faults: string[];
  /** In their order. */
  actions: Action[];
}

/** Ms between two of a kind, on average. The others are there from the beginning. */
const MEAN_MS: Partial<Record<Fault, (random: Random) => number>> = {
  kill: () => 12_000,
  stop: () => 15_000,
  refuse: () => 15_000,
  slow: () => 15_000,
  powerCut: () => 20_000,
  counts: random => random.between(2_000, 8_000),
  freeze: () => 12_000,
  lose: () => 15_000,
  callers: random => random.between(1_000, 8_000),
  edits: random => random.between(1_000, 8_000),
  races: random => random.between(1_000, 8_000),
  explains: random => random.between(500, 4_000),
  step: random => random.between(3_000, 15_000),
  suspend: () => 20_000,
  pause: () => 20_000,
  absence: () => 40_000,
  clients: () => 15_000,
  nexts: random => random.between(500, 4_000),
  destinations: random => random.between(2_000, 15_000),
  calendars: random => random.between(2_000, 15_000),
};

/** How many seeds have the fault. */
export const ODDS = {
  kill: 0.6,
  stop: 0.3,
  refuse: 0.4,
  slow: 0.4,
  nodes: 0.3,
  quiet: 0.15,
  freeze: 0.5,
  lose: 0.4,
  callers: 0.7,
  edits: 0.4,
  races: 0.15,
  explains: 0.5,
  step: 0.2,
  suspend: 0.15,
  pause: 0.2,
  absence: 0.06,
  awaiting: 0.25,
  clients: 0.2,
  crowd: 0.03,
  steered: 0.12,
  long: 0.25,
  powerCut: 0.2,
  counts: 0.2,
  nexts: 0.25,
  destinations: 0.15,
  calendars: 0.15,
  socket: 0.04,
};
/** These happen where nodes share the store: their odds are of those seeds. */
const OF_NODES: Action['kind'][] = ['freeze', 'lose'];
/** And these where they do not. */
const OF_ONE: Action['kind'][] = ['step', 'suspend', 'powerCut'];

type Fault = keyof typeof ODDS;

const STARTED_AT = Date.parse('2026-03-01T12:00:00.000Z');

/** The wall clock at the start of a world, epoch ms: between two whole seconds. */
export function startedAtOf(seed: number, long: Long | null = null): number {
  return (long?.startedAt ?? STARTED_AT) + (seed % 1_000);
}

/**
 * The odds with which these faults are on in each seed.
 *
 * @param without faults that are off
 * @throws RangeError where there is no such fault
 */
export function oddsWith(faults: readonly string[], without: readonly string[] = []): typeof ODDS {
  const unknown = [...faults, ...without].find(name => !(name in ODDS));
  if (unknown !== undefined) throw new RangeError(`There is no fault ${unknown}.`);
  const off = Object.fromEntries(without.map(name => [name, 0]));
  const on = Object.fromEntries(faults.map(name => [name, 1]));
  return { ...ODDS, ...off, ...apartFrom(faults), ...on };
}

/** Each fault has its own numbers: whether one is on, and how often, changes no other. */
export function profileOf(seed: number, odds = ODDS): Profile {
  const random = new Random(seed, 'profile');
  const lengthMs = random.between(20_000, 60_000);
  const faults: string[] = [];
  const actions: Action[] = [];
  const on = (name: Fault, make: (at: number, random: Random) => Action = fromTheBeginning) => {
    const own = new Random(seed, name);
    if (!own.chance(odds[name])) return;
    faults.push(name);
    const meanMs = MEAN_MS[name]?.(own) ?? Number.POSITIVE_INFINITY;
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
  on('races', (at, own) => ({ ...editAt(aimed(at, own), own), kind: 'race' }));
  on('explains', (at, own) => explainAt(aimed(at, own), own));
  on('powerCut', (at, own) => ({ kind: 'powerCut', at, downMs: downMsOf(own) }));
  on('counts', (at, own) => countAt(aimed(at, own), own));
  on('step', (at, own) => stepAt(aimed(at, own), own));
  on('suspend', (at, own) => suspendAt(aimed(at, own), own));
  on('pause', (at, own) => pauseAt(aimed(at, own), own));
  on('absence', absenceAt);
  on('nodes');
  on('quiet');
  on('awaiting');
  on('crowd');
  on('clients', (at, own) => clientActionAt(aimed(at, own), own));
  on('steered');
  on('long');
  const long = longOf(seed);
  if (faults.includes('long')) actions.push(...nightsOf(long));
  on('nexts', (at, own) => {
    return { kind: 'next', at: aimed(at, own), which: own.next(), count: own.whole(1, 5) };
  });
  on('destinations', (at, own) => ({ kind: 'limit', at: aimed(at, own), draw: own.next() }));
  on('calendars', (at, own) => ({ kind: 'calendar', at: aimed(at, own), draw: own.next() }));
  on('socket');
  on('freeze', (at, own) => freezeAt(at, own, startedAt));
  on('lose', (at, own) => ({ kind: 'lose', at, forMs: own.between(0, 1_000) }));
  return {
    lengthMs,
    mixed: random.whole(2, 14),
    planned: random.chance(0.6) ? random.whole(1, 8) : 0,
    unhealthy: random.chance(0.5) ? random.whole(1, UNHEALTHY_KINDS) : 0,
    awaiting: countOf(seed, 'awaiting', AWAITING_KINDS),
    steered: countOf(seed, 'steered', STEERED_KINDS),
    nodes: new Random(seed, 'node count').whole(2, 4),
    clients: clientCountOf(seed),
    crowd: crowdOf(seed),
    long,
    connections: new Random(seed, 'connections').pick([2, 3, MANY, MANY]),
    faults,
    actions: actions.toSorted((a, b) => a.at - b.at),
  };
}

function fromTheBeginning(): never {
  throw new Error('They are there from the beginning.');
}

/** The first number of theirs says whether there are any. */
function countOf(seed: number, fault: Fault, kinds: number): number {
  const random = new Random(seed, fault);
  random.next();
  return random.whole(1, kinds);
}

/** Nothing waits for a connection. */
export const MANY = 64;

/**
 * Whether requests go through sockets. The rules of a clock that is set, and those of limits, take targets for prompt, which these
 * are not. Signatures are looked at by the secret of one client. No rule has judged them in a long world.
 */
export function usesSockets(profile: Profile): boolean {
  const { faults } = profile;
  const isOn = faults.includes('socket') && !faults.includes('step') && longIn(profile) === null;
  return isOn && !hasDestinations(profile) && clientsIn(profile) === 1;
}

/** To one origin. A node that is not told of a change would start what waits for one after that was answered. */
export function connectionsIn(profile: Pick<Profile, 'faults' | 'connections'>): number {
  const isChanged = profile.faults.includes('edits') || profile.faults.includes('races');
  return hasNodes(profile) && isChanged ? MANY : profile.connections;
}

/** Whether nodes share the store. */
export function hasNodes({ faults }: Pick<Profile, 'faults'>): boolean {
  return faults.includes('nodes');
}

/** How many schedules have targets that answer 202. */
export function awaitingIn(profile: Profile): number {
  const isPlayed = profile.faults.includes('awaiting') && longIn(profile) === null;
  return isPlayed ? profile.awaiting : 0;
}

/** How many schedules are steered by their targets. As what callers change, that is judged by one clock only. */
export function steeredIn(profile: Profile): number {
  const { faults, steered } = profile;
  const isLimited = hasDestinations(profile) || hasCalendars(profile);
  const isJudged = hasNodes(profile) || (isPlain(profile) && !isLimited);
  return faults.includes('steered') && isJudged ? steered : 0;
}

/** Null: it is a short world. Nodes look at the store twice a second, which costs too much for hours. */
export function longIn(profile: Pick<Profile, 'faults' | 'long'>): Long | null {
  return profile.faults.includes('long') && !hasNodes(profile) ? profile.long : null;
}

/** Whether schedules share destinations with limits. */
export function hasDestinations(profile: Profile): boolean {
  return profile.faults.includes('destinations') && isPlain(profile);
}

/** Whether schedules name calendars. */
export function hasCalendars(profile: Profile): boolean {
  const { faults } = profile;
  return faults.includes('calendars') && (hasNodes(profile) || isPlain(profile));
}

/** Whether the installation is paused and resumed. */
export function hasPauses(profile: Profile): boolean {
  const { faults } = profile;
  return faults.includes('pause') && (hasNodes(profile) || hasOneClock(faults));
}

/** One process, one clock, one minute. */
function isPlain(profile: Profile): boolean {
  return hasOneClock(profile.faults) && !hasNodes(profile) && longIn(profile) === null;
}

/** A world with calendars begins so long before noon by UTC: somewhere a day begins in it. */
export function beforeNoonMs(seed: number, profile: Profile): number {
  return hasCalendars(profile) ? new Random(seed, 'noon').whole(5, 30) * 1_000 : 0;
}

/** What happens in a world: not all faults can be judged beside all others. */
export function playedOf(profile: Profile): Action[] {
  const { faults, actions } = profile;
  const others = [...(hasNodes(profile) ? OF_ONE : notOfNodes(faults))];
  if (clientsIn(profile) === 1) others.push('client');
  const played = actions.filter(({ kind }) => !others.includes(kind));
  const long = longIn(profile);
  return long === null
    ? played.filter(action => !isNight(action))
    : stretched(played, profile.lengthMs, long);
}

/** Figures, next times and pauses are known by one clock only, on a machine that goes on. */
function notOfNodes(faults: string[]): Action['kind'][] {
  return hasOneClock(faults) ? OF_NODES : [...OF_NODES, 'count', 'next', 'pause'];
}

function hasOneClock(faults: string[]): boolean {
  return !faults.includes('step') && !faults.includes('suspend');
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

function editAt(at: number, random: Random): Extract<Action, { kind: 'edit' }> {
  return { kind: 'edit', at, which: random.next(), draw: random.next() };
}

/** Of a time that has come or is to come, or of an instant beside it. */
function explainAt(at: number, random: Random): Action {
  const which = random.next();
  const besideMs = random.chance(0.2) ? random.whole(-2, 2) : 0;
  return { kind: 'explain', at, which, offsetMs: random.whole(-8, 3) * 1_000 + besideMs };
}

function countAt(at: number, random: Random): Action {
  const which = random.next();
  return { kind: 'count', at, which, isOfAll: random.chance(0.5), share: random.next() };
}

function callAt(at: number, random: Random): Action {
  if (random.chance(0.5)) return { kind: 'trigger', at, which: random.next() };
  const planned = random.chance(0.5);
  return { kind: 'create', at, planned, index: random.whole(0, 79) };
}

function downMsOf(random: Random): number {
  return random.chance(0.85) ? random.between(0, 1_500) : random.between(1_500, 20_000);
}
