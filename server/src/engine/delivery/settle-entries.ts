import { loadCalendars } from '../../domain/calendar/load-calendars.ts';
import { type Consequence, countsFailures } from '../../domain/run/consequence.ts';
import type { CalendarStore } from '../../store/contract/calendars.ts';
import type {
  ManualClaim,
  OutboxClaim,
  OutboxSettlement,
  OutboxStore,
} from '../../store/contract/queue.ts';
import type { ScheduleStore } from '../../store/contract/schedules.ts';
import { type EngineObserver, eachOf } from '../observer.ts';
import { type FailureLook, failuresOf } from './failures.ts';
import { reportedId } from './job.ts';
import { withScheduleChange } from './settlement.ts';

/** A job of the outbox that has ended, and what its answer asks of the schedule. */
export interface EndedEntry {
  claim: OutboxClaim;
  settlement: OutboxSettlement;
  asked: Consequence | null;
  /** Of a manual run whose attempt was judged: the settlement under a schedule that has changed meanwhile. */
  decideAgain?: (claim: ManualClaim) => OutboxSettlement;
}

/** A manual run may change its schedule; a run that the target asked for may be the last one. */
type TouchingEntry = EndedEntry & { claim: ManualClaim };

function touchesSchedule(entry: EndedEntry): entry is TouchingEntry {
  const { claim, settlement, asked } = entry;
  if (claim.kind === 'callback') return false;
  return asked !== null || (claim.trigger === 'target' && settlement.record !== undefined);
}

export interface EntrySettleOptions extends FailureLook {
  outbox: Pick<OutboxStore, 'settle'>;
  calendars: Pick<CalendarStore, 'versions'>;
  schedules: Pick<ScheduleStore, 'find'>;
  observer: Pick<EngineObserver, 'rowFailed' | 'callbackEnded' | 'passed' | 'runEnded'>;
}

/**
 * Settles jobs of the outbox that have ended. A manual run may change its schedule. If somebody else has changed it in the
 * meantime, the settlement is decided again.
 *
 * @param entries if the store fails, those that are left are to be given again
 */
export async function settleEntries(
  entries: EndedEntry[],
  options: EntrySettleOptions,
): Promise<void> {
  let open = await underPresentSchedules(entries, options);
  entries.splice(0, entries.length, ...open);
  while (open.length > 0) {
    const settlements = await withScheduleChanges(open, options);
    const overtaken = new Set(await options.outbox.settle(settlements));
    for (const [index, { claim }] of open.entries())
      if (!overtaken.has(claim.id)) tell(claim, settlements[index]!, options);
    const late = open.filter(
      ({ settlement: { id } }, index) => overtaken.has(id) && settlements[index]!.change,
    );
    // As for firings: if a later round fails, only that round is written again.
    entries.splice(0, entries.length, ...late);
    open = await changedMeanwhile(late, options);
  }
}

function tell(
  claim: OutboxClaim,
  { next, record }: OutboxSettlement,
  { observer }: EntrySettleOptions,
): void {
  if (typeof next !== 'string') return;
  if (claim.kind === 'callback') observer.callbackEnded(next, claim.runId);
  else if (record!.status === 'skipped') observer.passed(claim.schedule.id, record!);
  else observer.runEnded(claim.schedule.id, record!);
}

/** Retries give way to the next time that the schedule has as the attempt ends, which a change during it may have moved. */
async function underPresentSchedules(
  entries: EndedEntry[],
  options: EntrySettleOptions,
): Promise<EndedEntry[]> {
  const failed = entries.filter(
    ({ decideAgain, settlement }) => decideAgain && settlement.next !== 'succeeded',
  );
  if (failed.length === 0) return entries;
  const changed = await changedMeanwhile(failed, options);
  const { calendars, observer } = options;
  const schedules = changed.map(({ claim }) => (claim as ManualClaim).schedule);
  await loadCalendars(calendars, schedules);
  const decided = eachOf(
    changed,
    ({ claim }) => reportedId(claim),
    entry => ({ ...entry, settlement: entry.decideAgain!(entry.claim as ManualClaim) }),
    observer,
  );
  const anew = new Map(decided.map(entry => [entry.claim.id, entry]));
  return entries.map(entry => anew.get(entry.claim.id) ?? entry);
}

/** Most entries leave their schedule as it is. */
async function withScheduleChanges(
  entries: EndedEntry[],
  options: EntrySettleOptions,
): Promise<OutboxSettlement[]> {
  const touching = entries.filter(touchesSchedule);
  if (touching.length === 0) return entries.map(({ settlement }) => settlement);
  const { calendars, clock } = options;
  const schedules = touching.map(({ claim }) => claim.schedule);
  await loadCalendars(calendars, schedules);
  const failing = touching.filter(
    ({ claim, settlement }) =>
      settlement.record !== undefined && countsFailures(settlement.record, claim.schedule),
  );
  const failures = await failuresOf(
    failing.map(({ claim }) => claim),
    options,
  );
  const now = clock.now();
  return entries.map(entry => {
    if (!touchesSchedule(entry)) return entry.settlement;
    const { claim, settlement, asked } = entry;
    try {
      return withScheduleChange(claim, settlement, asked, failures.get(claim) ?? null, now);
    } catch (error) {
      // Its times cannot be counted: the run ends, and its schedule stays as it is.
      options.observer.rowFailed(claim.schedule.id, error);
      return settlement;
    }
  });
}

/** Entries whose schedule changed meanwhile, with the schedule as it is now. The others are not ours any more. */
async function changedMeanwhile(
  entries: EndedEntry[],
  { schedules }: EntrySettleOptions,
): Promise<EndedEntry[]> {
  const open: EndedEntry[] = [];
  for (const entry of entries) {
    const claim = entry.claim as ManualClaim;
    const { clientRowId, schedule, version } = claim;
    const found = await schedules.find(clientRowId, schedule.id);
    if (found === null || found.version === version) continue;
    const { timing: _, policy: __, delivery: ___, ...before } = schedule;
    const anew = { ...before, ...found.schedule };
    open.push({ ...entry, claim: { ...claim, schedule: anew, version: found.version } });
  }
  return open;
}
