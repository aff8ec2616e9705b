import { createHash } from 'node:crypto';
import type { ScheduleInput } from '@punctual/client';
import { forgetCalendars } from '../src/domain/calendar/known-calendars.ts';
import { startCounter } from '../src/domain/id.ts';
import { act } from './acts.ts';
import { Api } from './api.ts';
import { besideCrowd, CROWD_MS, CROWDED, crowdBodies } from './crowd.ts';
import { gather, isOwed, namesIn } from './gather.ts';
import { type Judgement, judge } from './judge.ts';
import { longBodies } from './long/workload.ts';
import { Machine } from './machine.ts';
import { MAY_COME_RIGHT } from './model/checker.ts';
import type { Evidence } from './model/evidence.ts';
import { Parts } from './parts.ts';
import {
  type Action,
  awaitingIn,
  beforeNoonMs,
  hasNodes,
  longIn,
  type Profile,
  playedOf,
  profileOf,
  startedAtOf,
  steeredIn,
} from './profile.ts';
import { hasCrowd } from './profile-of-clients.ts';
import { isQuiet, quietWorkload } from './quiet.ts';
import { Random } from './random.ts';
import { steeredWorkload } from './steered-workload.ts';
import type { Told } from './story.ts';
import * as workload from './workload.ts';

/**
 * One world, played from a seed: the engine on the embedded store, in a process that dies and starts again, or in several that
 * share it.
 */

export interface Played extends Judgement, Told {
  seed: number;
  /** Of all that was seen: the same seed has the same. */
  hash: string;
}

/** All that was owed must be there by then. */
const PATIENCE_MS = 200_000;
const LOOK_AGAIN_MS = 1_000;
const HEAL_LOOK_MS = 10;
/** In a long world retries wait so many times longer. */
const LONG_TIMES = 20;

const apis: Api[] = [];

export async function play(seed: number, profile = profileOf(seed)): Promise<Played> {
  const { machine, world } = await worldOf(seed, profile);
  return machine.play(() => world.run());
}

/** A world that was left in the middle. */
export interface Stopped {
  trace: string[];
  /** The file of the store as it stood. */
  picture: Uint8Array;
}

/** @param untilMs since its start @throws RangeError where the world ends before */
export async function playUntil(
  seed: number,
  untilMs: number,
  profile = profileOf(seed),
): Promise<Stopped> {
  const { machine, world } = await worldOf(seed, profile);
  return machine.play(() => world.runUntil(untilMs));
}

async function worldOf(seed: number, profile: Profile) {
  const processes = hasNodes(profile) ? profile.nodes : 1;
  while (apis.length < processes) apis.push(await Api.ready());
  const startedAt = startedAtOf(seed, longIn(profile)) - beforeNoonMs(seed, profile);
  const machine = new Machine(startedAt, new Random(seed, 'process'));
  const parts = new Parts(seed, machine, profile);
  return { machine, world: new World(parts, apis.slice(0, processes)) };
}

class World {
  readonly #parts: Parts;
  readonly #apis: Api[];
  #isOver = false;

  constructor(parts: Parts, apis: Api[]) {
    this.#parts = parts;
    this.#apis = apis;
  }

  async run(): Promise<Played> {
    startCounter(0);
    forgetCalendars();
    await this.#parts.prepare(this.#apis);
    const { seed, machine, profile, long, fleet, callers, lost } = this.#parts;
    const { clients, destinations, calendars } = this.#parts;
    fleet.startAll();
    lost.isOn = hasNodes(profile) && profile.faults.includes('lose');
    const bodies = this.#bodies();
    const bodiesOf = Map.groupBy(bodies, (body, index) => this.#parts.clientOf(body, index));
    for (const [client, own] of bodiesOf) void callers.createAll(client, own);
    if (hasCrowd(profile)) this.#gatherCrowd();
    const createAll = (own: ScheduleInput[]) => callers.createAll(clients.all[0]!, own);
    void destinations?.begin(createAll, new Random(seed, 'limited'));
    void calendars?.begin(createAll, new Random(seed, 'excluding'));
    for (const action of playedOf(profile)) machine.after(action.at, () => this.#act(action));
    // To play a crowd for long takes long.
    const lengthMs = hasCrowd(profile) ? CROWD_MS : profile.lengthMs;
    await machine.sleep(long?.lengthMs ?? lengthMs);
    const report = await this.#judge(await this.#heal());
    this.#parts.database.close();
    return report;
  }

  async runUntil(untilMs: number): Promise<Stopped> {
    const { machine, trace, database } = this.#parts;
    const isOver = await Promise.race([
      this.run().then(() => true),
      machine.sleep(untilMs, machine.world).then(() => false),
    ]);
    if (isOver) throw new RangeError('The world ended before.');
    return { trace, picture: database.serialize() };
  }

  #bodies(): ScheduleInput[] {
    const { seed, profile, long, machine, sockets } = this.#parts;
    const { TARGET } = workload;
    if (isQuiet(profile)) return quietWorkload(TARGET, seed, machine.now);
    const bodies = long && longBodies(TARGET, profile, long, machine.now);
    return (
      bodies ?? [
        ...workload.plannedWorkload(TARGET, profile.planned, machine.now),
        ...workload.mixedWorkload(TARGET, profile.mixed),
        ...workload.unhealthyWorkload(profile.unhealthy),
        ...(hasNodes(profile) ? workload.sharedWorkload(TARGET) : []),
        ...workload.awaitingWorkload(awaitingIn(profile)),
        ...steeredWorkload(steeredIn(profile), machine.now),
        ...(sockets === null ? [] : workload.idempotentWorkload()),
      ]
    );
  }

  #gatherCrowd(): void {
    const { machine, clients, callers, profile } = this.#parts;
    const [many, one] = clients.all;
    void callers.createAll(many!, crowdBodies(profile.crowd, machine.startedAt));
    void callers.create(one!, besideCrowd(machine.startedAt));
  }

  /** Nobody does anything to a machine that is suspended. */
  #act(action: Action): void {
    if (!this.#isOver && !this.#parts.machine.isSuspended) act(action, this.#parts);
  }

  /** Faults end, a process lives, targets answer. @returns when: what was due by then must come to its end */
  async #heal(): Promise<number> {
    const { machine, callers, destinations, calendars, fleet, lost, network } = this.#parts;
    this.#isOver = true;
    callers.end();
    destinations?.end();
    calendars?.end();
    this.#parts.tell('heal');
    fleet.heal();
    lost.heal();
    network.isHealed = true;
    await this.#parts.pauses.heal();
    // What is there and does not fire is waited for no longer.
    for (let leftMs = PATIENCE_MS; leftMs > 0 && (machine.isSuspended || !fleet.isWell); ) {
      const isWaited = fleet.isThere && !machine.isSuspended;
      if (isWaited) leftMs -= HEAL_LOOK_MS;
      // Hours of a suspension would be a million looks.
      await machine.sleep(isWaited ? HEAL_LOOK_MS : Math.max(100, machine.suspendedForMs));
    }
    await this.#parts.clients.heal();
    await this.#parts.wall.goRight();
    return machine.now;
  }

  async #judge(until: number): Promise<Played> {
    const { seed, profile, long, machine, database, trace, wall, fleet, callers } = this.#parts;
    const times = long === null ? 1 : LONG_TIMES;
    const giveUpAt = machine.trueNow + PATIENCE_MS * times;
    for (;;) {
      await machine.sleep(LOOK_AGAIN_MS * times);
      const isLate = machine.trueNow > giveUpAt;
      if (!isLate && isOwed(database, until)) continue;
      if (profile.faults.includes('counts')) await this.#parts.counts.askAll();
      const evidence = await this.#seen(until);
      const report = judge(evidence, wall.clock(fleet.all, callers.asked));
      const mayWait = report.violations.every(({ rule }) =>
        (MAY_COME_RIGHT as readonly string[]).includes(rule),
      );
      if (report.violations.length > 0 && mayWait && !isLate) continue;
      const { schedules, arrivals, callbackArrivals, runs } = evidence;
      const seen = JSON.stringify([trace, schedules, arrivals, callbackArrivals, runs]);
      const hash = createHash('sha256').update(seen).digest('hex').slice(0, 16);
      const names = namesIn(database);
      const { startedAt } = machine;
      return { ...report, seed, profile, hash, trace, names, startedAt, evidence };
    }
  }

  #seen(until: number): Promise<Evidence> {
    const { around, network, database, store, written, counts, lost } = this.#parts;
    const { destinations, calendars, sockets, pauses } = this.#parts;
    const { leases, pruned, setAside, takenBack } = around;
    pruned?.restoreVersions();
    const looked = { database, store, clients: this.#parts.clients.all, written };
    return gather(looked, this.#parts.callers, this.#parts.machine.now, {
      lives: this.#parts.fleet.all.flatMap(({ lives }) => lives),
      ...(pauses.seen.length > 0 && { pauses: pauses.seen }),
      stalls: [...this.#parts.stalls, ...lost.stalls],
      suspensions: this.#parts.wall.suspensions,
      arrivals: network.arrivals,
      callbackArrivals: network.callbacks,
      said: this.#parts.work.said,
      signed: network.signed,
      setAside,
      ...(sockets && { wire: sockets.seen }),
      ...(hasCrowd(this.#parts.profile) && { mostPerHost: CROWDED.maxInFlightPerHost }),
      counted: counts.seen,
      takenBack: takenBack.seen,
      inFlight: counts.inFlight,
      ...(pruned && { pruned: pruned.seen, kept: pruned.kept }),
      ...(destinations && { destinations: destinations.seen }),
      ...(calendars && { calendars: calendars.seen }),
      until,
      ...(leases && {
        shared: {
          leaseMs: leases.leaseMs,
          lostAnswers: lost.answers,
          holds: leases.holds,
        },
      }),
    });
  }
}
