import fc from 'fast-check';
import type { World } from '../../../sim/model/calendar/enumerator.ts';
import { knowCalendar } from '../../../src/domain/calendar/known-calendars.ts';
import { nextTime } from '../../../src/domain/calendar/times.ts';
import { PunctualError } from '../../../src/domain/errors.ts';
import { iso } from '../../../src/domain/iso.ts';
import type { HeldSchedule } from '../../../src/domain/run/standing.ts';
import type { ScheduleBody } from '../../../src/domain/schedule/body.ts';
import { withCalendars } from '../../../src/domain/schedule/calendar-change.ts';
import {
  changesTimes,
  completedOf,
  draftDeletion,
  draftNew,
  draftPatch,
  draftReplacement,
} from '../../../src/domain/schedule/draft.ts';
import { NO_REFERENCES } from '../../../src/domain/schedule/references.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { ALLOW_PUBLIC } from '../../../src/domain/schedule/target.ts';
import { type Scene, scenesOfOneMiddle } from './worlds.ts';

/**
 * Random histories of what a caller may change of a schedule's times, lived twice: by the drafts of the domain, and as plain
 * worlds for the enumerator, with the rules of a PUT and a PATCH in their own words.
 */

/** The state of a schedule from one change to the next. */
export interface State {
  since: number;
  schedule: Schedule;
  world: World;
  scene: Scene;
}

interface Step {
  scene: Scene;
  kind: 'put' | 'patch' | 'calendars' | 'status' | 'pause' | 'delete';
  /** Fields that a patch takes from the scene's world, where that has none it removes them. */
  takes: Field[];
  /** Where in the span it is made: 0 to 1. */
  part: number;
  pauseMs: number;
  putsCalendars: boolean;
}

export interface TimingHistory {
  steps: Step[];
}

const FIELDS = ['interval', 'startsAt', 'endsAt', 'maxRuns', 'windowSeconds', 'exclude'] as const;
type Field = (typeof FIELDS)[number];

const HOUR_MS = 3_600_000;

export const timingHistories: fc.Arbitrary<TimingHistory> = scenesOfOneMiddle(4).chain(scenes =>
  fc
    .tuple(
      ...scenes.map(scene =>
        fc.record({
          scene: fc.constant(scene),
          kind: fc.constantFrom<Step['kind'][]>(
            ...(['put', 'put', 'patch', 'patch', 'patch', 'calendars', 'calendars'] as const),
            ...(['status', 'status', 'pause', 'pause', 'delete'] as const),
          ),
          takes: fc.subarray([...FIELDS], { minLength: 1 }),
          part: fc.integer({ min: 0, max: 1_000_000 }).map(part => part / 1_000_000),
          pauseMs: fc.integer({ min: -HOUR_MS, max: 40 * 24 * HOUR_MS }),
          putsCalendars: fc.boolean(),
        }),
      ),
    )
    .map(steps => ({ steps })),
);

/** The states in their order; changes that are refused leave none. The last one holds on. */
export function liveTimings({ steps }: TimingHistory): State[] {
  const life = new TimingLife();
  const instants = steps.map(({ scene, part }) => scene.from + part * (scene.to - scene.from));
  const inOrder = instants.map(Math.floor).sort((a, b) => a - b);
  for (const [index, step] of steps.entries()) life.take(step, inOrder[index]! + 3 * index);
  return life.states;
}

/** As the store tells what held at an instant: the state, with the changes around it. */
export function heldAt(states: State[], at: number): HeldSchedule {
  const index = Math.max(
    0,
    states.findLastIndex(({ since }) => since <= at),
  );
  const { interval, timezone, timing, status } = states[index]!.schedule;
  return {
    interval,
    timezone,
    ...(timing && { timing }),
    status,
    since: index === 0 ? null : states[index]!.since,
    until: states[index + 1]?.since ?? null,
  };
}

/** Each life has calendars of its own. */
let versionCount = 0;

class TimingLife {
  readonly states: State[] = [];
  /** The present calendars. */
  readonly #versions = new Map<string, string>();
  readonly #references = { ...NO_REFERENCES, calendars: this.#versions };
  readonly #periods = new Map<string, NonNullable<World['calendars']>[number]['periods']>();

  take(step: Step, now: number): void {
    const last = this.states.at(-1);
    if (last === undefined) {
      this.#put(step.scene);
      this.#draft(step, now, () => draftNew(this.#body(step), now, ALLOW_PUBLIC, this.#references));
      return;
    }
    if (last.schedule.status === 'deleted') return;
    this.#complete(last, now - 1);
    if (step.kind === 'calendars' || step.putsCalendars) {
      this.#put(step.scene);
      this.#recount(step, now);
    }
    if (step.kind !== 'calendars') this.#change(step, this.states.at(-1)!, now + 1);
  }

  /** As the engine does when the last run has ended. */
  #complete({ schedule, world, scene }: State, now: number): void {
    if (schedule.status !== 'enabled' || nextTime(schedule, now) !== null) return;
    const completed = { ...completedOf(schedule), updatedAt: now };
    this.states.push({ since: now, schedule: completed, world, scene });
  }

  #put({ world }: Scene): void {
    for (const { name, periods } of world.calendars ?? []) {
      versionCount += 1;
      const version = `held-${versionCount}`;
      knowCalendar({ version, name, periods });
      this.#versions.set(name, version);
      this.#periods.set(name, periods);
    }
  }

  #recount({ scene }: Step, now: number): void {
    const { schedule, world } = this.states.at(-1)!;
    const next = withCalendars(schedule, this.#versions, now, false);
    if (next === null) return;
    const names = world.calendars?.map(({ name }) => name);
    this.states.push({ since: now, schedule: next, world: this.#with(world, names), scene });
  }

  #change(step: Step, { schedule }: State, now: number): void {
    const { kind, pauseMs } = step;
    const patched = (patch: object) => () =>
      draftPatch(patch, schedule, now, ALLOW_PUBLIC, this.#references);
    if (kind === 'put') {
      const body = this.#body(step);
      this.#draft(step, now, () =>
        draftReplacement(body, schedule, now, ALLOW_PUBLIC, this.#references),
      );
    } else if (kind === 'status') {
      const status = schedule.status === 'enabled' ? 'disabled' : 'enabled';
      this.#draft(step, now, patched({ status }));
    } else if (kind === 'pause') {
      const pausedUntil = pauseMs < 0 ? null : iso(now + pauseMs);
      this.#draft(step, now, patched({ pausedUntil }));
    } else if (kind === 'delete') {
      this.#draft(step, now, () => draftDeletion(schedule, now)!);
    } else {
      const body = this.#body(step);
      const taken = step.takes.flatMap(field => [field, ...BESIDE[field]]);
      const patch = taken.map(field => [field, body[field as keyof ScheduleBody] ?? null]);
      this.#draft(step, now, patched(Object.fromEntries(patch)));
    }
  }

  /** The body of a PUT that asks for all that the scene's world has. */
  #body({ scene }: Step): ScheduleBody {
    const { interval, timezone, startsAt, endsAt, maxRuns, windowSeconds } = scene.world;
    const { calendars, onExcluded, pausedUntil } = scene.world;
    return {
      url: 'https://target.example/',
      verb: 'POST',
      interval,
      timezone,
      ...(startsAt !== undefined && { startsAt: iso(startsAt) }),
      ...(endsAt !== undefined && { endsAt: iso(endsAt) }),
      ...(maxRuns !== undefined && { maxRuns }),
      ...(windowSeconds !== undefined && { windowSeconds }),
      ...(calendars !== undefined && { exclude: calendars.map(({ name }) => name) }),
      ...(onExcluded !== undefined && { onExcluded }),
      ...(pausedUntil !== undefined && { pausedUntil: iso(pausedUntil) }),
    };
  }

  #draft(step: Step, now: number, draft: () => Schedule): void {
    const last = this.states.at(-1);
    let schedule: Schedule;
    try {
      schedule = draft();
    } catch (error) {
      if (error instanceof PunctualError) return;
      throw error;
    }
    const world = this.#worldOf(step, last?.world, schedule, now);
    if (last !== undefined && !changesTimes(last.schedule, schedule, now)) {
      // What the store keeps of the changes of times is what decides when it fires.
      last.schedule = { ...schedule };
      return;
    }
    this.states.push({ since: now, schedule, world, scene: step.scene });
  }

  /** What the caller asked for, by the rules of the interface: nothing here is read from the timing of the draft. */
  #worldOf(step: Step, before: World | undefined, { id }: Schedule, now: number): World {
    const { kind, scene, takes, pauseMs } = step;
    const createdAt = before?.createdAt ?? now;
    const given: World = { ...scene.world, createdAt, isStored: true, hashed: id };
    const names = given.calendars?.map(({ name }) => name);
    if (before === undefined || kind === 'put') {
      const pausedUntil = given.pausedUntil ?? before?.pausedUntil;
      return this.#counted(before, open({ ...this.#with(given, names), pausedUntil }, now), now);
    }
    const same = open({ ...before }, now);
    if (kind === 'pause') {
      const pausedUntil = pauseMs < 0 ? undefined : now + pauseMs;
      return open({ ...same, pausedUntil }, now);
    }
    if (kind !== 'patch') return same;
    const merged = { ...same };
    for (const field of takes) {
      if (field === 'exclude') {
        Object.assign(merged, { calendars: given.calendars, onExcluded: given.onExcluded });
      } else if (field === 'interval') {
        Object.assign(merged, { interval: given.interval, timezone: given.timezone });
      } else Object.assign(merged, { [field]: given[field] });
    }
    return this.#counted(
      before,
      this.#with(
        merged,
        merged.calendars?.map(({ name }) => name),
      ),
      now,
    );
  }

  /** With the present periods of these calendars. */
  #with(world: World, names: string[] | undefined): World {
    const { calendars: _, ...others } = world;
    if (names === undefined) return others;
    return {
      ...others,
      calendars: names.map(name => ({ name, periods: this.#periods.get(name)! })),
    };
  }

  #counted(before: World | undefined, world: World, now: number): World {
    const { countFrom: _, ...others } = world;
    const isSame = before !== undefined && counted(before) === counted(world);
    return { ...others, countFrom: isSame ? (before.countFrom ?? now) : now };
  }
}

/** A patch that takes the one takes these too. */
const BESIDE: Record<Field, string[]> = {
  interval: ['timezone'],
  startsAt: [],
  endsAt: [],
  maxRuns: [],
  windowSeconds: [],
  exclude: ['onExcluded'],
};

/** A pause that has passed counts as none. */
function open({ pausedUntil, ...world }: Loose<World>, now: number): World {
  const isOpen = pausedUntil !== undefined && pausedUntil > now;
  return { ...world, ...(isOpen && { pausedUntil }) } as World;
}

type Loose<T> = { [Key in keyof T]: T[Key] | undefined };

function counted({ interval, timezone, startsAt, maxRuns, calendars }: World): string {
  const names = calendars?.map(({ name }) => name);
  return JSON.stringify([interval, timezone, startsAt, maxRuns, names]);
}
