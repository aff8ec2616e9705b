import type { ExplainVerdict, RunStatus, ScheduleStatus } from '@punctual/client';

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
};

const WORDS: Record<string, string> = {
  disabled: 'paused',
  neverDue: 'never due',
  notCreated: 'not created yet',
  moved: 'moved by daylight saving',
  dropped: 'dropped by daylight saving',
  repeated: 'fired the first time',
  unrecorded: 'not on record',
};

export function Status({ of }: { of: RunStatus | ScheduleStatus | ExplainVerdict }) {
  return <span className={`status tone-${TONES[of] ?? 'quiet'}`}>{WORDS[of] ?? of}</span>;
}

export function toneOf(status: string): string {
  return `var(--${TONES[status] ?? 'quiet'})`;
}
