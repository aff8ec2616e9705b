/** The judgements of `punctual doctor`: measured values in, a finding out. */

export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'problem';
  sentence: string;
}

export const ok = (check: string, sentence: string): Finding => ({ check, state: 'ok', sentence });
export const warning = (check: string, sentence: string): Finding => ({
  check,
  state: 'warning',
  sentence,
});
export const problem = (check: string, sentence: string): Finding => ({
  check,
  state: 'problem',
  sentence,
});

/** A full disk stops the firings. */
export function judgeDisk({ bytes, freeBytes }: { bytes: number; freeBytes: number }): Finding {
  const sentence = `${sizeText(freeBytes)} of ${sizeText(bytes)} are free.`;
  if (freeBytes < 100e6) return problem('disk', sentence);
  return freeBytes < bytes / 10 ? warning('disk', sentence) : ok('disk', sentence);
}

/** @param ms of one fsync, the median of some */
export function judgeSync(ms: number): Finding {
  const sentence = `A write is kept after ${ms.toFixed(1)} ms (fsync).`;
  if (ms > 500) return problem('disk', `${sentence} Firings will be late.`);
  return ms > 50
    ? warning('disk', `${sentence} Many firings of one instant will be late.`)
    : ok('disk', sentence);
}

/** @param aheadMs of the machine's clock, negative where it is behind */
export function judgeClock(aheadMs: number, of: string): Finding {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const sentence = `The clock is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} ${of}.`;
  if (Math.abs(aheadMs) > 60_000) return problem('clock', sentence);
  if (Math.abs(aheadMs) > 1_000) return warning('clock', sentence);
  return ok('clock', `The clock agrees with ${of}.`);
}

/** Of acknowledged writes: how far the store goes, or null, and how far it went; epoch ms. */
export function judgeLoss({ since, until }: { since: number | null; until: number }): Finding {
  const iso = (at: number) => new Date(at).toISOString();
  const end = since === null ? 'empty' : `from ${iso(since)}`;
  return problem(
    'loss',
    `The store lost what was acknowledged until ${iso(until)}, and goes on ${end}. ` +
      'Its -wal was gone or cut, or an older copy was in its place.',
  );
}

/** @param limit of open files @param wanted how many the settings can use */
export function judgeDescriptors(limit: number, wanted: number): Finding {
  const sentence = `${limit} files may be open (ulimit -n), and the settings can use ${wanted}.`;
  return limit < wanted ? warning('open files', sentence) : ok('open files', sentence);
}

function sizeText(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
