import type * as Wire from '@punctual/client';
import { type Cause, causeOf, isMissedBy } from '../domain/run/cause.ts';
import type { RunStatus } from '../domain/run/run.ts';
import { hostOf } from '../domain/schedule/target.ts';
import type { ListedRuns, RunView } from '../store/contract/runs.ts';
import type { NamedSchedule } from '../store/contract/schedules.ts';
import { Slices } from './http/slices.ts';

/**
 * Runs by what no index knows: the host of their schedule, the status that was answered, the text of the error, the cause.
 * Runs are read newest first, and looked at one by one. One search is bounded, and says where the next one goes on.
 */

/** Runs that one search looks at, at most. */
const MOST_LOOKED_AT = 2_000;
const AT_ONCE = 200;

export interface SearchedRun {
  /** Name and port of the url, in lower case. */
  host?: string;
  responseStatus?: number;
  /** In lower case. */
  error?: string;
  cause?: Cause;
}

/** @returns null where nothing of the query needs a look at each run */
export function searchedFrom(query: Wire.RunQuery): SearchedRun | null {
  const { host, responseStatus, error, cause } = query;
  const searched: SearchedRun = {
    ...(host !== undefined && { host: host.toLowerCase() }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(error !== undefined && { error: error.toLowerCase() }),
    ...(cause !== undefined && { cause }),
  };
  return Object.keys(searched).length === 0 ? null : searched;
}

/** The only status in which such a run can be, where the query names none: few are looked at then. */
export function impliedStatus({ cause, error }: SearchedRun): RunStatus | undefined {
  if (cause !== undefined) return isMissedBy(cause) ? 'missed' : 'failed';
  return error === undefined ? undefined : 'failed';
}

/** How runs are read, and what their schedules are called. */
export interface RunLook {
  clientRowId: number;
  page(limit: number, before: string | undefined): Promise<ListedRuns>;
  names(runs: readonly RunView[]): Promise<Map<string, NamedSchedule>>;
}

/** @param limit one more than a page has: the last one found begins another page */
export async function searchRuns(
  look: RunLook,
  searched: SearchedRun,
  limit: number,
  before: string | undefined,
): Promise<ListedRuns> {
  const found: RunView[] = [];
  const slices = new Slices(look.clientRowId);
  let from = before;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += AT_ONCE) {
    await slices.next();
    const { runs, next } = await look.page(AT_ONCE, from);
    const names = searched.host === undefined ? new Map() : await look.names(runs);
    found.push(...runs.filter(run => fits(run, searched, names)));
    if (found.length >= limit) return { runs: found.slice(0, limit), next: null };
    if (next === null) return { runs: found, next: null };
    from = next;
  }
  return { runs: found, next: from ?? null };
}

function fits(
  run: RunView,
  { host, responseStatus, error, cause }: SearchedRun,
  names: ReadonlyMap<string, NamedSchedule>,
): boolean {
  const last = run.attempts.at(-1);
  return (
    (host === undefined || hostOf(names.get(run.scheduleId)?.url ?? '') === host) &&
    (responseStatus === undefined || last?.responseStatus === responseStatus) &&
    (error === undefined || textOf(run).includes(error)) &&
    (cause === undefined || (isEnded(run) && causeOf(run).cause === cause))
  );
}

function textOf({ attempts, reason = '' }: RunView): string {
  return `${attempts.at(-1)?.error ?? ''}\n${reason}`.toLowerCase();
}

/** Causes are of runs that failed, and of times that were missed. */
function isEnded({ status }: RunView): boolean {
  return status === 'failed' || status === 'missed';
}
