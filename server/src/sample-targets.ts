/**
 * How the sample targets of `punctual dev` answer, as `GET /sample/healthy` and so on. The run alone decides: so
 * `punctual dev --seed` can write the history that a target would have caused.
 */

interface SampleAnswer {
  status: number;
  /** JSON. */
  body: string;
}

/** @returns null where it does not answer */
type SampleTarget = (scheduledFor: number, attempt: number) => SampleAnswer | null;

const OK: SampleAnswer = { status: 200, body: '{"ok":true}' };
const BUSY: SampleAnswer = { status: 503, body: '{"error":"This sample is busy. Try again."}' };

export const SAMPLE_TARGETS = {
  healthy: () => OK,
  flaky: (scheduledFor, attempt) => (attempt <= failuresOf(scheduledFor) ? BUSY : OK),
  hanging: () => null,
} satisfies Record<string, SampleTarget>;

/** @returns how many attempts of this time fail */
function failuresOf(scheduledFor: number): number {
  const minute = Math.floor(scheduledFor / 60_000);
  const second = Math.floor(scheduledFor / 1_000) % 60;
  if (second > 0) return WITHIN_MINUTE[Math.floor(second / 10) % 3]!;
  return minute % 10 === 0 ? Number.POSITIVE_INFINITY : minute % 3 === 0 ? 1 : 0;
}

/** By ten seconds: half a minute shows a success, a retry and a failure. */
const WITHIN_MINUTE = [0, 1, Number.POSITIVE_INFINITY];
