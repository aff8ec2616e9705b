import type { CalendarInput, ScheduleInput } from '@punctual/client';
import { callUntilDone } from './call-once.ts';
import type { CallersOptions } from './callers.ts';
import type { CalendarSeen, CalendarVersionSeen, PeriodsSeen } from './model/evidence.ts';
import type { Node } from './node.ts';
import { OpenCalls } from './open-calls.ts';
import type { Random } from './random.ts';
import { every } from './workload.ts';

export interface CalendarsOptions extends CallersOptions {
  node: () => Node;
  /** Whether nodes share the store. */
  isShared: boolean;
}

/**
 * The calendars of a world, which its callers change. They ask for one change at a time, and ask again until they are answered, so
 * that each change is one.
 */
export class Calendars {
  readonly seen: CalendarSeen[] = NAMES.map(name => ({ name, versions: [] }));
  readonly #around: CalendarsOptions;
  /** Ends with the change that is asked for. */
  #asking: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(around: CalendarsOptions) {
    this.#around = around;
  }

  /** The calendars, and then the schedules that name them. */
  async begin(
    createAll: (bodies: ScheduleInput[]) => Promise<void>,
    random: Random,
  ): Promise<void> {
    for (const name of NAMES) this.#change(name, random);
    await this.#asking;
    await createAll(excludingWorkload(random, random.whole(2, EXCLUDING_KINDS)));
  }

  change(random: Random): void {
    this.#change(random.pick(NAMES), random);
  }

  /** No change is asked for from here on, but the one that goes on is. */
  end(): void {
    this.#isOver = true;
  }

  #change(name: string, random: Random): void {
    const ask = () => {
      const periods = periodsOf(random, this.#around.machine.now);
      return this.#isOver ? undefined : this.#put(name, periods);
    };
    this.#asking = this.#asking.then(ask);
  }

  async #put(name: string, periods: PeriodsSeen[]): Promise<void> {
    const { machine, tell } = this.#around;
    const askedAt = machine.now;
    const version: CalendarVersionSeen = { periods, askedAt, answeredAt: Number.POSITIVE_INFINITY };
    this.seen.find(each => each.name === name)!.versions.push(version);
    tell(`calendar ${name}: ${periods.map(({ from, to }) => `${from} to ${to}`).join(', ')}`);
    const body: CalendarInput = { periods };
    const call = { method: 'PUT', path: `/v1/calendar/${name}`, body } as const;
    const calls = new OpenCalls();
    const node = () => {
      const asked = this.#around.node();
      version.node = asked.name;
      return calls.through(asked);
    };
    await callUntilDone(call, { ...this.#around, node }, `calendar ${name}`);
    version.answeredAt = machine.now;
    if (this.#around.isShared) await calls.over(machine);
  }
}

const NAMES = ['days', 'freeze'] as const;

/** Spans that begin and end within seconds, most with a whole one, and days of the wall clock: in one zone a day ends within the world. */
function periodsOf(random: Random, now: number): PeriodsSeen[] {
  const spans = Array.from({ length: random.whole(0, 3) }, () => {
    const beside = random.chance(0.3) ? random.whole(-2, 2) : 0;
    const from = Math.round(now / 1_000 + random.between(-10, 25)) * 1_000 + beside;
    const to = from + random.whole(1, 12) * 1_000;
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  });
  const days = [1, 2].filter(() => random.chance(0.25));
  return [...spans, ...days.map(day => ({ from: `2026-03-0${day}`, to: `2026-03-0${day + 1}` }))];
}

const EXCLUDING_KINDS = 8;
/** There it is midnight when it is noon by UTC. */
const FAR = 'Etc/GMT-12';

function excludingWorkload(random: Random, count: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => excluding(index, random));
}

function excluding(index: number, random: Random): ScheduleInput {
  const url = `https://excluding${index}.example`;
  const second = random.whole(5, 40);
  switch (index) {
    case 0:
      return { ...every('* * * * * *', `${url}/ok`, FAR), exclude: ['days'] };
    case 1:
      return { ...every('*/2 * * * * *', `${url}/ok`), exclude: ['freeze'] };
    case 2:
      return { ...every('* * * * * *', `${url}/slow/1300`), exclude: ['freeze', 'days'] };
    case 3:
      // It moves to the Sunday of the world where its Monday is excluded.
      return {
        ...every(`${second} 0 12 * * MON`, `${url}/ok`),
        ...{ exclude: ['days'], onExcluded: 'previousDay' },
      };
    case 4:
      return { ...every('rate(2 seconds)', `${url}/ok`), exclude: ['freeze'] };
    case 5:
      return {
        ...every('* * * * * *', `${url}/slow/700`),
        ...{ exclude: ['freeze'], policy: { overlap: 'bufferOne' } },
      };
    case 6:
      return { ...every('*/3 * * * * *', `${url}/ok`, FAR), exclude: ['days'], windowSeconds: 4 };
    default:
      return {
        ...every(`${second} 0 12 * * *`, `${url}/ok`),
        ...{ exclude: ['freeze', 'days'], onExcluded: 'nextDay' },
      };
  }
}
