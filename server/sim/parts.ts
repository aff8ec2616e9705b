import type { ScheduleInput } from '@punctual/client';
import type { Store } from '../src/store/contract/store.ts';
import { storeOn } from '../src/store/sqlite/open.ts';
import { type Api, type Credentials, newCredentials, SIGNING_SECRET } from './api.ts';
import { Calendars } from './calendars.ts';
import { callOnce } from './call-once.ts';
import { Callers } from './callers.ts';
import { Clients, type PlayedClient } from './clients.ts';
import { Commands } from './commands.ts';
import { Counts } from './counts.ts';
import { CROWDED } from './crowd.ts';
import { Destinations } from './destinations.ts';
import { Fleet } from './fleet.ts';
import { historyOf } from './gather.ts';
import type { Long } from './long/long.ts';
import type { Machine } from './machine.ts';
import type { Evidence } from './model/evidence.ts';
import type { Surroundings } from './node.ts';
import { Pauses } from './pauses.ts';
import {
  connectionsIn,
  hasCalendars,
  hasDestinations,
  hasNodes,
  hasPauses,
  longIn,
  type Profile,
  usesSockets,
} from './profile.ts';
import { clientsIn, hasCrowd } from './profile-of-clients.ts';
import { isQuiet } from './quiet.ts';
import { Random } from './random.ts';
import { ChangesWritten } from './store/changes-written.ts';
import { emptyDatabase } from './store/lazy-database.ts';
import { Leases } from './store/leases.ts';
import { LostAnswers } from './store/lost-answers.ts';
import { MOST_LOST, Notices } from './store/notices.ts';
import { Pruned } from './store/pruned.ts';
import { TakenBack } from './store/taken-back.ts';
import { lineOf } from './story.ts';
import { Wall } from './wall.ts';
import { Network } from './wire/network.ts';
import { Sockets } from './wire/sockets.ts';
import { Work } from './wire/work.ts';
import { isPlanned } from './workload.ts';

/** How many requests wait for a connection: nodes may lose a claim meanwhile. */
const WAIT = 0.05;
const WAIT_OF_NODES = 0.4;

/** How long a pause waits for what is in flight. */
const STOPS_MS = [100, 1_000, 10_000, 30_000];

/** What a world is made of, before anything happens in it. */
export class Parts {
  readonly seed: number;
  readonly machine: Machine;
  readonly profile: Profile;
  readonly long: Long | null;
  readonly network: Network;
  readonly database = emptyDatabase();
  /** As the world itself looks at it: nothing is in its way. */
  readonly store: Store;
  readonly work: Work;
  /** Null: requests are played as a whole. */
  readonly sockets: Sockets | null;
  readonly stalls: Evidence['stalls'] = [];
  readonly lost: LostAnswers;
  readonly written: ChangesWritten;
  readonly wall: Wall;
  readonly trace: string[] = [];
  around!: Surroundings;
  fleet!: Fleet;
  clients!: Clients;
  callers!: Callers;
  counts!: Counts;
  pauses!: Pauses;
  /** Null where no schedule has one. */
  destinations: Destinations | null = null;
  calendars: Calendars | null = null;

  constructor(seed: number, machine: Machine, profile: Profile) {
    this.seed = seed;
    this.machine = machine;
    this.profile = profile;
    this.long = longIn(profile);
    this.wall = new Wall(machine, this.tell);
    this.lost = new LostAnswers(machine, this.database, new Random(seed, 'lost'), this.tell);
    this.written = new ChangesWritten(machine, this.database);
    const waiting = hasNodes(profile) ? WAIT_OF_NODES : WAIT;
    this.network = new Network(machine, new Random(seed, 'net'), waiting);
    const target = { machine, random: new Random(seed, 'work'), node: () => this.fleet.asked() };
    const say = async (path: string, body: object) =>
      (await callOnce({ method: 'POST', path, body }, target))?.status ?? null;
    this.work = new Work({ ...target, say });
    this.network.begun = begun => void this.work.begin(begun);
    this.store = storeOn(this.database, ':memory:');
    this.sockets = usesSockets(profile) ? this.#openSockets() : null;
    this.network.sockets = this.sockets;
  }

  readonly tell = (line: string): void => {
    this.trace.push(lineOf(this.machine.elapsedMs, line));
  };

  /** @param apis as many as there are processes at a time */
  async prepare(apis: Api[]): Promise<void> {
    const { machine, seed, profile } = this;
    const credentials = await newCredentials(this.store, machine.now);
    this.around = this.#surroundings(credentials);
    this.fleet = new Fleet(this.around, apis, new Random(seed, 'asked'));
    await this.#addClients(credentials);
    const commands = new Commands(this.around, new Random(seed, 'pausing'));
    this.pauses = new Pauses(machine, commands, this.tell);
    const node = () => this.fleet.asked();
    this.counts = new Counts({
      ...{ machine, database: this.database, node, tell: this.tell },
      clientRowId: credentials.clientRowId,
      asked: () => this.callers.asked,
    });
    const wellSinceMs = () => Math.max(this.fleet.wellSinceMs, this.lost.lastMs);
    const around = { machine, node, wellSinceMs, tell: this.tell };
    this.callers = new Callers({ ...around, random: new Random(seed, 'calls') });
    if (hasDestinations(profile))
      this.destinations = new Destinations({ ...around, random: new Random(seed, 'limits') });
    if (hasCalendars(profile)) {
      const random = new Random(seed, 'calendar calls');
      this.calendars = new Calendars({ ...around, random, isShared: hasNodes(profile) });
    }
  }

  /** What is planned is of none that is deleted: no rule judges it there. */
  clientOf(body: ScheduleInput, index: number): PlayedClient {
    const { all } = this.clients;
    const most = isPlanned(body) ? all.length - 1 : all.length;
    return all[index % Math.max(1, most)]!;
  }

  #surroundings(credentials: Credentials): Surroundings {
    const { machine, seed, profile } = this;
    return {
      machine,
      network: this.network,
      credentials,
      database: this.database,
      faults: { refusesUntil: 0, slowUntil: 0, slowByMs: 0 },
      storeRandom: new Random(seed, 'store'),
      processRandom: new Random(seed, 'jitter'),
      // The lock's file is made at the first start.
      mark: { sentUntil: machine.now, isNew: true },
      beforeAnswer: () => {},
      leases: hasNodes(profile) ? this.#leases() : null,
      setAside: [],
      pruned: this.long && this.#pruned(),
      takenBack: new TakenBack(machine, this.database),
      capacity: hasCrowd(profile) ? CROWDED : null,
      looksAgain: clientsIn(profile) > 1,
      pausing: hasPauses(profile) ? { stopMs: new Random(seed, 'stop').pick(STOPS_MS) } : null,
      isLost: (part, method, parameters, answer) => {
        this.written.note(part, method, parameters, answer);
        return this.lost.isLost(part, method, parameters, answer);
      },
      tell: this.tell,
    };
  }

  async #addClients(first: Credentials): Promise<void> {
    const count = clientsIn(this.profile);
    const random = new Random(this.seed, 'commands');
    this.clients = new Clients({
      around: this.around,
      store: this.store,
      commands: new Commands(this.around, random),
      random,
      node: () => this.fleet.asked(),
    });
    this.network.keepsSignatures = count > 1;
    await this.clients.add(first);
    while (this.clients.all.length < count)
      await this.clients.add(await newCredentials(this.store, this.machine.now));
  }

  #openSockets(): Sockets {
    const { machine, network, profile } = this;
    machine.holdOn();
    return new Sockets({
      ...{ machine, network, random: new Random(this.seed, 'socket play') },
      ...{ connectionsPerOrigin: connectionsIn(profile), signingSecret: SIGNING_SECRET },
      // What is about to leave a node shall be there before its lease has ended.
      slowestMs: hasNodes(profile) ? 500 : 9_000,
    });
  }

  /** A day of UTC goes after the one that follows it; failed runs stay for a day more in some worlds. */
  #pruned(): Pruned {
    const { database, store } = this;
    const days = 1 + (this.seed % 2);
    const list = () => {
      const looked = { database, store, clients: this.clients.all };
      return historyOf(looked, this.callers.asked, this.machine.now);
    };
    return new Pruned(this.machine, database, days, list);
  }

  #leases(): Leases {
    const lost = isQuiet(this.profile) ? MOST_LOST : undefined;
    const notices = new Notices(this.machine, new Random(this.seed, 'notices'), lost);
    return new Leases(this.machine, this.database, notices);
  }
}
