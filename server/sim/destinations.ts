import type { DestinationInput, ScheduleInput } from '@punctual/client';
import { callOnce, callUntilDone } from './call-once.ts';
import type { CallersOptions } from './callers.ts';
import type { DestinationSeen, LimitsSeen } from './model/evidence.ts';
import type { Random } from './random.ts';
import { every, onceAfter } from './workload.ts';

/**
 * The destinations of a world, whose limits its callers change. They ask for one change of one destination at a time, and ask again
 * until they are answered.
 */
export class Destinations {
  readonly seen: DestinationSeen[] = NAMES.map(name => ({ name, versions: [] }));
  readonly #around: CallersOptions;
  /** Ends with the change that is asked for. */
  #asking: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(around: CallersOptions) {
    this.#around = around;
  }

  /** The destinations, and then the schedules that name them. */
  async begin(
    createAll: (bodies: ScheduleInput[]) => Promise<void>,
    random: Random,
  ): Promise<void> {
    for (const name of NAMES) {
      const limits = limitsOf(random);
      this.#asking = this.#asking.then(() => this.#put(name, limits));
    }
    await this.#asking;
    const { now } = this.#around.machine;
    await createAll(limitedWorkload(random, random.whole(2, LIMITED_KINDS), now));
  }

  change(random: Random): void {
    const name = random.chance(0.8) ? NAMES[0] : NAMES[1];
    const isDeletion = random.chance(0.1);
    const limits = limitsOf(random);
    const ask = () => (isDeletion ? this.#delete(name) : this.#put(name, limits));
    this.#asking = this.#asking.then(() => (this.#isOver ? undefined : ask()));
  }

  /** Nobody asks again from here on. */
  end(): void {
    this.#isOver = true;
  }

  async #put(name: string, limits: NonNullable<LimitsSeen['limits']>): Promise<void> {
    const { machine, tell } = this.#around;
    const body: DestinationInput = { hosts: HOSTS, limits };
    const version: LimitsSeen = { limits, askedAt: machine.now, answeredAt: null };
    this.#versionsOf(name).push(version);
    tell(`limits of ${name}: ${JSON.stringify(limits)}`);
    const call = { method: 'PUT', path: `/v1/destination/${name}`, body } as const;
    const isOver = () => this.#isOver;
    if (await callUntilDone(call, this.#around, `limits of ${name}`, isOver))
      version.answeredAt = machine.now;
  }

  /** As long as a schedule names it, it stays. */
  async #delete(name: string): Promise<void> {
    const { machine, tell } = this.#around;
    const version: LimitsSeen = { limits: null, askedAt: machine.now, answeredAt: null };
    const call = { method: 'DELETE', path: `/v1/destination/${name}` } as const;
    const answer = await callOnce(call, this.#around);
    tell(`delete ${name}: ${answer?.status ?? 'none'}`);
    if (answer?.status === 200) version.answeredAt = machine.now;
    if (answer === null || answer.status === 200) this.#versionsOf(name).push(version);
  }

  #versionsOf(name: string): LimitsSeen[] {
    return this.seen.find(each => each.name === name)!.versions;
  }
}

const NAMES = ['narrow', 'other'] as const;
const HOSTS = ['*.limited.example', 'moved.example'];

function limitsOf(random: Random): NonNullable<LimitsSeen['limits']> {
  const maxConcurrent = random.whole(1, 3);
  const perSecond = random.pick([0.5, 1, 2, 3, 5, 1.7]);
  return random.pick([{ maxConcurrent }, { perSecond }, { maxConcurrent, perSecond }, {}]);
}

const LIMITED_KINDS = 9;

/** Schedules that share the first destination, and two of the other one. Several of them share a host. */
function limitedWorkload(random: Random, count: number, now: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => {
    const url = `https://h${random.whole(0, 2)}.limited.example`;
    const destination = index === 3 || index === 6 ? NAMES[1] : NAMES[0];
    return { ...limited(url, index, random, now), destination };
  });
}

function limited(url: string, index: number, random: Random, now: number): ScheduleInput {
  switch (index) {
    case 0:
      return every('* * * * * *', `${url}/slow/${random.pick([300, 700])}`);
    case 1:
      return every('*/2 * * * * *', `${url}/ok`);
    case 2:
      return every('*/5 * * * * *', `${url}/slow/300`);
    case 3:
      return every('* * * * * *', `${url}/ok`);
    case 4:
      return { ...every('*/10 * * * * *', `${url}/flaky`), policy: { retryDelaysSeconds: [1] } };
    case 5:
      return { ...every('* * * * * *', `${url}/slow/1500`), policy: { overlap: 'bufferOne' } };
    case 6:
      return { ...every('*/3 * * * * *', `${url}/hang`), policy: { timeoutSeconds: 1 } };
    case 7:
      return every(onceAfter(random.whole(6, 20), now), `${url}/ok`);
    default:
      return every('*/30 * * * * *', `${url}/ok`);
  }
}
