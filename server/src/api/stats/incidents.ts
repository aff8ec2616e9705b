import type * as Wire from '@punctual/client';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { iso } from '../../domain/iso.ts';
import {
  type Episode,
  type EpisodeGroup,
  EpisodeTally,
  GAP_MS,
  type Incident,
  IncidentTally,
  incidentSentence,
  type Recovery,
  schedulesOf,
} from '../../domain/run/incident.ts';
import type { RecoveryQuery } from '../../store/contract/failed-runs.ts';
import type { NamedSchedule } from '../../store/contract/schedules.ts';
import type { Store } from '../../store/contract/store.ts';
import { Slices } from '../http/slices.ts';
import { FailureHours, type FailureRange } from './failure-hours.ts';
import { withPatience } from './patience.ts';

const MOST_SHOWN = 100;
const MOST_AFFECTED = 10;
const MOST_CLIENTS = 1_000;
/** Schedules of one part of an incident that are asked how they went on: those that failed last. */
const MOST_ASKED_OF_EPISODE = 200;
/** The same of an answer, the newest failures first. */
const MOST_ASKED = 2_000;
/** As many at once, so that they hold up no other figures for long. */
const AT_ONCE = 200;
/** An answer is as old as this at most where it is asked for again and again. Hours bound their own work. */
const FRESH_MS = 1_000;
/** For so long it is given again where a new one takes long. */
const STALE_MS = 30_000;
/** How long an answer waits for hours that are still to be counted, and a caller for an answer in place of an older one. */
const PATIENCE_MS = 150;

/**
 * `GET /v1/incident`: failed and missed runs, in incidents.
 *
 * Hours of history are read once each, newest first, and kept as counts by cause and host (failure-hours.ts). How the
 * schedules went on is asked anew for each answer, of a bounded number of them.
 */
export class ClientIncidents {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #hours = new LRUCache<number, FailureHours>({ max: MOST_CLIENTS });
  readonly #answers: LRUCache<string, Wire.Incidents, Question>;
  readonly #older: LRUCache<string, Wire.Incidents>;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    const perf = { now: () => clock.monotonicMs() };
    const kept = { max: MOST_CLIENTS, perf, ttlResolution: 0 };
    this.#older = new LRUCache({ ...kept, ttl: STALE_MS });
    this.#answers = new LRUCache<string, Wire.Incidents, Question>({
      ...kept,
      ttl: FRESH_MS,
      ignoreFetchAbort: true,
      fetchMethod: async (key, _old, { context }) => {
        const answer = await this.#answer(context);
        this.#older.set(key, answer);
        return answer;
      },
    });
  }

  /** A range begins and ends with full ten minutes, as what is counted does. */
  async of(clientRowId: number, { from, to }: FailureRange): Promise<Wire.Incidents> {
    const range = {
      from: Math.floor(from / GAP_MS) * GAP_MS,
      to: Math.ceil(to / GAP_MS) * GAP_MS,
    };
    const question = { clientRowId, range };
    const older = this.#olderOf(question);
    const making = this.#answers.fetch(keyOf(question), { context: question });
    const answer = older === undefined ? await making : await withPatience(making, PATIENCE_MS);
    return (answer ?? older)!;
  }

  /** Of this range; of one that ends now, also that before the clock passed full ten minutes. */
  #olderOf({ clientRowId, range: { from, to } }: Question): Wire.Incidents | undefined {
    const before = to - GAP_MS;
    const earlier = [
      { from: from - GAP_MS, to: before },
      { from, to: before },
    ];
    return [{ from, to }, ...(to >= this.#clock.now() ? earlier : [])]
      .map(range => this.#older.get(keyOf({ clientRowId, range })))
      .find(answer => answer !== undefined);
  }

  async #answer({ clientRowId, range }: Question): Promise<Wire.Incidents> {
    const hours = this.#hoursOf(clientRowId);
    await withPatience(hours.count(range, this.#clock.now()), PATIENCE_MS);
    const { episodes: counted, from, isCut } = hours.since(range);
    const slices = new Slices(clientRowId);
    const groups = await withoutGaps(counted, slices);
    const recoveries = await this.#recoveriesOf(clientRowId, groups, slices);
    const incidents = await incidentsOf(groups, recoveries, slices);
    const names = await this.#namesOf(clientRowId, incidents);
    return {
      from: iso(from),
      to: iso(range.to),
      items: incidents.map(incident => incidentAnswer(incident, names)),
      ...(isCut && { isCut }),
      ...(from > range.from && { isPartial: true }),
    };
  }

  #hoursOf(clientRowId: number): FailureHours {
    const kept = this.#hours.get(clientRowId) ?? new FailureHours(this.#store.stats, clientRowId);
    this.#hours.set(clientRowId, kept);
    return kept;
  }

  /** How the schedules went on that failed last. Those that do not fire any more are left out. */
  async #recoveriesOf(
    clientRowId: number,
    groups: readonly EpisodeGroup[],
    slices: Slices,
  ): Promise<Map<EpisodeGroup, Recovery[]>> {
    const questions = await questionsOf(groups, slices);
    const recoveries = new Map<EpisodeGroup, Recovery[]>();
    for (let at = 0; at < questions.length; at += AT_ONCE) {
      const part = questions.slice(at, at + AT_ONCE);
      const asked = part.map(({ query }) => query);
      const found = await this.#store.stats.recovered(clientRowId, asked);
      part.forEach(({ group, query: { scheduleId } }, index) => {
        const { succeededFor, isEnabled } = found[index]!;
        if (succeededFor === null && !isEnabled) return;
        const known = recoveries.get(group) ?? [];
        known.push({ scheduleId, succeededFor });
        recoveries.set(group, known);
      });
    }
    return recoveries;
  }

  async #namesOf(
    clientRowId: number,
    incidents: readonly Incident[],
  ): Promise<Map<string, NamedSchedule>> {
    const ids = incidents.flatMap(incident => affectedBy(incident).map(([id]) => id));
    if (ids.length === 0) return new Map();
    const found = await this.#store.schedules.names(clientRowId, [...new Set(ids)]);
    return new Map(found.map(schedule => [schedule.id, schedule]));
  }
}

interface Question {
  clientRowId: number;
  range: FailureRange;
}

async function withoutGaps(episodes: readonly Episode[], slices: Slices): Promise<EpisodeGroup[]> {
  const tally = new EpisodeTally();
  for (const episode of episodes) {
    tally.add(episode);
    if (slices.isOver) await slices.next();
  }
  return tally.groups;
}

async function incidentsOf(
  groups: readonly EpisodeGroup[],
  recoveries: ReadonlyMap<EpisodeGroup, Recovery[]>,
  slices: Slices,
): Promise<Incident[]> {
  const tally = new IncidentTally();
  for (const each of groups) {
    tally.add(each, recoveries.get(each) ?? []);
    if (slices.isOver) await slices.next();
  }
  return tally.newest(MOST_SHOWN);
}

function keyOf({ clientRowId, range: { from, to } }: Question): string {
  return `${clientRowId} ${from} ${to}`;
}

interface RecoveryQuestion {
  group: EpisodeGroup;
  query: RecoveryQuery;
}

/** Of each part of an incident the schedules that failed last, the newest parts first. */
async function questionsOf(
  groups: readonly EpisodeGroup[],
  slices: Slices,
): Promise<RecoveryQuestion[]> {
  const questions: RecoveryQuestion[] = [];
  for (const group of groups.toReversed()) {
    const latest = [...schedulesOf(group)].sort(([, a], [, b]) => b.lastFor - a.lastFor);
    for (const [scheduleId, { lastFor }] of latest.slice(0, MOST_ASKED_OF_EPISODE)) {
      if (questions.length === MOST_ASKED) return questions;
      questions.push({ group, query: { scheduleId, lastFor } });
    }
    if (slices.isOver) await slices.next();
  }
  return questions;
}

function affectedBy({ schedules }: Incident) {
  return [...schedules].sort(([, a], [, b]) => b.runs - a.runs).slice(0, MOST_AFFECTED);
}

function incidentAnswer(
  incident: Incident,
  names: ReadonlyMap<string, NamedSchedule>,
): Wire.Incident {
  const { cause, statusCode, host, since, lastFor, until, runs, schedules, sample } = incident;
  return {
    cause,
    ...(statusCode !== undefined && { statusCode }),
    ...(host !== '' && { host }),
    sentence: incidentSentence(incident),
    since: iso(since),
    lastFor: iso(lastFor),
    ...(until !== null && { until: iso(until) }),
    isOpen: until === null,
    runs,
    schedules: schedules.size,
    affected: affectedBy(incident).flatMap(([scheduleId, of]) => {
      const name = names.get(scheduleId);
      return name === undefined
        ? []
        : [{ scheduleId, label: name.label, url: name.url, runs: of.runs }];
    }),
    sample,
  };
}
