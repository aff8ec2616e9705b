/**
 * How long a session of the dashboard lasts: 12 h at most, and 30 min without a use (OWASP ASVS 4.0.3,
 * 3.3.2).
 *
 * A clock that was wrong for a moment makes no session immortal: one that begins ahead of the clock does
 * not count. Nor does it end one for ever: a session counts again as soon as the clock is right, because
 * a use is noted only while it counts.
 */
export const SESSION_MS = 12 * 3_600_000;
export const SESSION_IDLE_MS = 30 * 60_000;

/** Uses within this time share one write: a session may end so much sooner. */
const NOTE_EVERY_MS = 60_000;
/** How far clocks of nodes, and a clock before and after its correction, may differ. */
const CLOCK_SLACK_MS = 60_000;

/** Both epoch ms. */
export interface SessionTimes {
  createdAt: number;
  /** Noted at most once a minute. */
  lastUsedAt: number;
}

export function isSessionLive({ createdAt, lastUsedAt }: SessionTimes, now: number): boolean {
  const isAhead = createdAt > now + CLOCK_SLACK_MS;
  return !isAhead && now < createdAt + SESSION_MS && now < lastUsedAt + SESSION_IDLE_MS;
}

/** A use that was noted ahead of the clock is put right too. */
export function isUseWorthNoting({ lastUsedAt }: SessionTimes, now: number): boolean {
  return Math.abs(now - lastUsedAt) >= NOTE_EVERY_MS;
}
