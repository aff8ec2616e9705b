import { resolveTiming } from '../calendar/resolve-timing.ts';
import { PunctualError } from '../errors.ts';
import type { PatchBody, ScheduleBody } from './body.ts';
import { draftDeletion, draftNew, draftPatch } from './draft.ts';
import { mergedBody } from './patch.ts';
import { fieldOf, type Problem, problemsOf } from './problems.ts';
import type { References } from './references.ts';
import type { Schedule } from './schedule.ts';
import type { AllowTargets } from './target.ts';

/**
 * A simulation: changes of schedules that are worked out one after the other, each on what those before it have made.
 * Nothing is stored. The same values give the same answer: no clock, no random id.
 */

export type SimulatedChange =
  | { action: 'create'; body: ScheduleBody }
  /** @param name an id, or `ext:` and an external id */
  | { action: 'patch'; name: string; patch: PatchBody }
  | { action: 'delete'; name: string };

/** All that the changes may refer to. */
export interface SimulatedFacts {
  /** Stored schedules by id: those that are changed, and those whose external ids are asked for. */
  schedules: ReadonlyMap<string, Schedule>;
  /** As for a draft: the names of all bodies, and of all these schedules. */
  references: References;
  allow: AllowTargets;
}

export interface SimulatedResult {
  action: SimulatedChange['action'];
  /** Of a stored schedule. */
  id?: string;
  /** Null where there was none. */
  before: Schedule | null;
  /** The same as before where a write would refuse the change; null where there is none. */
  after: Schedule | null;
  problems: Problem[];
}

const EXTERNAL = 'ext:';

export class Simulation {
  readonly #facts: SimulatedFacts;
  /** The changes are made at this instant: the times after it are to come. */
  readonly #changedAt: number;
  readonly #schedules: Map<string, Schedule>;
  /** Ids by the external ids of schedules that are not deleted. */
  readonly #external = new Map<string, string>();
  #created = 0;

  /** @param from epoch ms: each change is made a moment before, so that a time at this instant counts */
  constructor(facts: SimulatedFacts, from: number) {
    this.#facts = facts;
    this.#changedAt = from - 1;
    this.#schedules = new Map(facts.schedules);
    for (const schedule of this.#schedules.values()) this.#name(schedule);
  }

  make(change: SimulatedChange): SimulatedResult {
    return change.action === 'create' ? this.#create(change.body) : this.#change(change);
  }

  #create(body: ScheduleBody): SimulatedResult {
    const { allow, references } = this.#facts;
    this.#created += 1;
    const id = `created ${this.#created}`;
    try {
      const draft = draftNew(body, this.#changedAt, allow, references, id);
      this.#refuseTaken(draft);
      const after = this.#put(atWindowStart(draft));
      return { action: 'create', before: null, after, problems: [] };
    } catch (error) {
      const problems = this.#problems(error, body, Object.keys(body));
      return { action: 'create', before: null, after: null, problems };
    }
  }

  #change(change: Exclude<SimulatedChange, { action: 'create' }>): SimulatedResult {
    const { action, name } = change;
    const before = this.#find(name);
    if (before === null) {
      const problems = [{ where: 'id', sentence: 'There is no schedule with this id.' }];
      return { action, before, after: null, problems };
    }
    const isStored = this.#facts.schedules.has(before.id);
    const told = { action, ...(isStored && { id: before.id }), before };
    try {
      const draft =
        change.action === 'patch' ? this.#patched(before, change.patch) : this.#deleted(before);
      return { ...told, after: this.#put(isStored ? draft : atWindowStart(draft)), problems: [] };
    } catch (error) {
      const patch = change.action === 'patch' ? change.patch : {};
      const problems = this.#problems(error, mergedBody(patch, before), Object.keys(patch));
      return { ...told, after: before, problems };
    }
  }

  /**
   * The problem that a write would tell, and others of the fields that the change names.
   *
   * @param error of the draft; rethrown where it is no refusal
   */
  #problems(error: unknown, body: ScheduleBody, fields: string[]): Problem[] {
    if (!(error instanceof PunctualError)) throw error;
    const { allow, references } = this.#facts;
    const all = problemsOf(body, { allow, now: this.#changedAt, references });
    const told = all.find(({ sentence }) => sentence === error.message) ?? problemOf(error);
    const others = all.filter(each => each !== told && fields.includes(fieldOf(each)));
    return [told, ...others];
  }

  #patched(before: Schedule, patch: PatchBody): Schedule {
    const { allow, references } = this.#facts;
    const draft = draftPatch(patch, before, this.#changedAt, allow, references);
    this.#refuseTaken(draft);
    return draft;
  }

  /** A second delete changes nothing. */
  #deleted(before: Schedule): Schedule {
    return draftDeletion(before, this.#changedAt) ?? before;
  }

  /** An external id is the name of a schedule as long as it is not deleted. */
  #find(name: string): Schedule | null {
    const id = name.startsWith(EXTERNAL) ? this.#external.get(name.slice(EXTERNAL.length)) : name;
    return (id !== undefined && this.#schedules.get(id)) || null;
  }

  #put(schedule: Schedule): Schedule {
    const before = this.#schedules.get(schedule.id)?.externalId;
    if (before !== undefined && this.#external.get(before) === schedule.id) {
      this.#external.delete(before);
    }
    this.#schedules.set(schedule.id, schedule);
    this.#name(schedule);
    return schedule;
  }

  #name({ id, status, externalId }: Schedule): void {
    if (externalId !== undefined && status !== 'deleted') this.#external.set(externalId, id);
  }

  /** @throws PunctualError `external_id_taken`, as the store does */
  #refuseTaken({ id, externalId }: Schedule): void {
    const owner = externalId === undefined ? id : (this.#external.get(externalId) ?? id);
    if (owner === id) return;
    throw new PunctualError(
      'external_id_taken',
      `externalId "${externalId}" is taken by another schedule.`,
    );
  }
}

/** A schedule that has no lasting name yet has no offset yet: its times stand at the start of the window. */
function atWindowStart(schedule: Schedule): Schedule {
  const { timing, externalId, createdAt } = schedule;
  if (timing?.offsetMs === undefined || externalId !== undefined) return schedule;
  const facts = { createdAt, hashed: null, versions: timing.calendars ?? [] };
  return { ...schedule, timing: resolveTiming(schedule, facts)! };
}

function problemOf({ code, message }: PunctualError): Problem {
  return { where: PROPERTY_OF[code] ?? 'interval', sentence: message };
}

/** All others are told by `problemsOf`, but for times that have run out. */
const PROPERTY_OF: Partial<Record<PunctualError['code'], string>> = {
  external_id_taken: 'externalId',
  schedule_deleted: 'id',
};
