import type * as Wire from '@punctual/client';
import type { DestinationAuth } from '../domain/destination/destination.ts';
import { PunctualError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import type { Attempt } from '../domain/run/run.ts';
import type { Schedule } from '../domain/schedule/schedule.ts';
import { type PreviousRun, templateFactsOf } from '../domain/schedule/template/names.ts';
import { rendered } from '../domain/schedule/template/render.ts';
import type { StoredDestination } from '../store/contract/destinations.ts';
import type { Caller } from '../store/contract/keys.ts';
import type { RunView } from '../store/contract/runs.ts';
import type { VersionAt } from '../store/contract/versions.ts';
import type { ApiDeps } from './deps.ts';
import { noRun } from './find-run.ts';
import { FIRST_VERSION } from './http/etag.ts';
import { heldSince } from './versions.ts';

type Needs = Pick<ApiDeps, 'store' | 'clock' | 'showSent' | 'keepRunsDays'>;

/** The attempt whose request is asked for; one that is in flight has not much yet. */
type Asked = Pick<Attempt, 'number' | 'startedAt'> & Partial<Attempt>;

const DAY_MS = 86_400_000;
/** A change and a request so close together may have passed each other on the way. */
const CLOSE_MS = 1_000;

/**
 * The request of one attempt of a run, made anew by the code that made it then, from the schedule as it was. Nothing of it
 * is stored with the run.
 *
 * @param number of the attempt; undefined: the last one
 * @throws PunctualError `not_found`
 */
export async function findRunRequest(
  needs: Needs,
  caller: Caller,
  runId: string,
  number: number | undefined,
): Promise<Wire.RunRequest> {
  const { store, clock } = needs;
  const { clientRowId } = caller;
  const run = isId(runId) ? await store.runs.find(clientRowId, runId, clock.now()) : null;
  if (run === null) throw noRun();
  const attempt = attemptOf(run, number);
  const at = attempt?.startedAt ?? run.scheduledFor;
  const found = (await store.versions.at(clientRowId, run.scheduleId, at))!;
  const told = {
    runId,
    scheduleId: run.scheduleId,
    presentVersion: found.present.version,
    masked: [],
    notes: [],
  };
  if (attempt === undefined) return { ...told, notes: [whyUnsent(run)] };
  const { held } = found;
  if (held === null) {
    const note = 'The version of the schedule that was sent is not kept any more.';
    return { ...told, attempt: attempt.number, notes: [note] };
  }
  const version = { attempt: attempt.number, version: held.version };
  return { ...told, ...version, ...(await madeAnew(needs, caller, run, attempt, found)) };
}

/** @throws PunctualError `not_found` */
function attemptOf(run: RunView, number: number | undefined): Asked | undefined {
  const { attempts, startedAt } = run;
  const first: Asked[] = startedAt === undefined ? [] : [{ number: 1, startedAt }];
  const known: Asked[] = attempts.length > 0 ? attempts : first;
  if (number === undefined) return known.at(-1);
  const found = known.find(attempt => attempt.number === number);
  if (found !== undefined) return found;
  throw new PunctualError('not_found', `The run has no attempt ${number} on record.`);
}

function whyUnsent({ status }: RunView): string {
  return status === 'skipped' || status === 'missed'
    ? `Nothing was sent: the run was ${status}.`
    : 'Nothing was sent yet.';
}

async function madeAnew(
  { store, clock, showSent, keepRunsDays }: Needs,
  { clientRowId }: Caller,
  run: RunView,
  attempt: Asked,
  { scheduleRowId, held }: VersionAt,
): Promise<Pick<Wire.RunRequest, 'request' | 'masked' | 'notes'>> {
  const { schedule, version } = held!;
  const name = schedule.delivery?.destination;
  const destination = name === undefined ? null : await store.destinations.find(clientRowId, name);
  const facts = schedule.delivery?.previous;
  const before = {
    clientRowId,
    scheduleRowId,
    before: run.scheduledFor,
    isSuccessAsked: facts?.includes('succeededFor') ?? false,
  };
  const [previous] = facts === undefined ? [] : await store.runs.previous([before]);
  const historyFrom = clock.now() - keepRunsDays * DAY_MS;
  const { request, masked } = showSent(filledIn(schedule, run, attempt, previous), {
    runId: run.id,
    scheduledFor: run.scheduledFor,
    attempt: attempt.number,
    added: addedBy(destination?.config.auth),
  });
  const notes = [
    whyNotSent(attempt),
    version > FIRST_VERSION && attempt.startedAt - heldSince(schedule) < CLOSE_MS
      ? `The schedule was changed right before: the request may have been that of the version before ${version}.`
      : null,
    previous === undefined ? null : previousNote(schedule, previous, historyFrom),
    name === undefined ? null : destinationNote(name, destination, attempt.startedAt),
  ];
  return { request, masked, notes: notes.filter(note => note !== null) };
}

function filledIn(
  schedule: Schedule,
  { id, scheduledFor, trigger }: RunView,
  { number }: Asked,
  previous: PreviousRun | undefined,
): Schedule {
  if (schedule.policy?.template !== true) return schedule;
  const run = { runId: id, scheduledFor, attempt: number, trigger, previous };
  return rendered(schedule, templateFactsOf(schedule, run));
}

/** The headers that a destination adds; their values are secret. */
function addedBy(auth: DestinationAuth | undefined): string[] {
  if (auth === undefined) return [];
  return auth.type === 'headers' ? auth.names : ['Authorization'];
}

function whyNotSent({ refused, outcome, error }: Asked): string | null {
  if (refused !== true && outcome !== 'blocked') return null;
  return `It was made and not sent: ${error}`;
}

/** Runs before it may be gone, and then others take their places. */
function previousNote(
  { createdAt }: Schedule,
  { scheduledFor, succeededFor }: PreviousRun,
  historyFrom: number,
): string | null {
  const oldest = Math.min(scheduledFor ?? createdAt, succeededFor ?? scheduledFor ?? createdAt);
  if (oldest >= historyFrom) return null;
  return 'Runs before it may be gone from history: the values of previous.* may have been others.';
}

function destinationNote(
  name: string,
  destination: StoredDestination | null,
  sentAt: number,
): string | null {
  if (destination === null) {
    return `The destination ${name} is gone: the headers that it added are not known.`;
  }
  const { createdAt, updatedAt = createdAt } = destination;
  if (updatedAt <= sentAt) return null;
  return `The destination ${name} was changed since: it may have added other headers.`;
}
