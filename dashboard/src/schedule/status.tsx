import type { ExplainVerdict, RunStatus, Schedule } from '@punctual/client';
import { shortTime, useNow } from '../time/times.ts';
import { type ScheduleState, stateOf } from './schedule-state.ts';

/** A state by its word; the colour beside it only repeats it. */

const TONES: Record<string, string> = {
  enabled: 'ok',
  disabled: 'quiet',
  deleted: 'bad',
  succeeded: 'ok',
  failed: 'bad',
  running: 'busy',
  retrying: 'warn',
  queued: 'busy',
  skipped: 'quiet',
  missed: 'odd',
  waiting: 'busy',
  upcoming: 'busy',
  moved: 'warn',
  dropped: 'warn',
  repeated: 'warn',
  paused: 'quiet',
  completed: 'ok',
  targetGone: 'bad',
  targetDisabled: 'warn',
  tooManyFailures: 'bad',
  excluded: 'quiet',
  rolled: 'warn',
  beforeStart: 'quiet',
  afterEnd: 'quiet',
};

const WORDS: Record<string, string> = {
  disabled: 'paused',
  targetGone: 'disabled: its target is gone',
  targetDisabled: 'disabled by its target',
  tooManyFailures: 'disabled after failures',
  neverDue: 'never due',
  notCreated: 'not created yet',
  moved: 'moved by daylight saving',
  dropped: 'dropped by daylight saving',
  repeated: 'fired the first time',
  unrecorded: 'not on record',
  excluded: 'excluded by a calendar',
  rolled: 'moved by a calendar',
  beforeStart: 'before its start',
  afterEnd: 'after its end',
};

export function Status({ of }: { of: RunStatus | ScheduleState | ExplainVerdict }) {
  return <span className={`status tone-${TONES[of] ?? 'quiet'}`}>{WORDS[of] ?? of}</span>;
}

/** The state of a schedule: also until when it is paused, and whether it has completed. */
export function ScheduleStateText({ schedule }: { schedule: Schedule }) {
  const now = useNow(5_000);
  const state = stateOf(schedule, now);
  if (state === 'snoozed') {
    return (
      <span className="status tone-quiet">paused until {shortTime(schedule.pausedUntil!)}</span>
    );
  }
  return <Status of={state} />;
}
