import { parseInterval } from '../calendar/interval.ts';
import { zoneOf } from '../calendar/zones/zone.ts';
import { PunctualError } from '../errors.ts';
import { checkData, type ScheduleBody } from './draft.ts';
import { checkHeaders } from './headers.ts';
import { type AllowTargets, checkTargetUrl } from './target.ts';

/** The error of one property. */
export interface Problem {
  /** `url`, `integrations[0].url`. */
  where: string;
  sentence: string;
}

/**
 * All that a create would refuse in a body of the right shape, property by property, by the same
 * rules: a form shows each where it belongs. Empty where the body can be stored.
 */
export function problemsOf(body: ScheduleBody, allow: AllowTargets): Problem[] {
  const { url, interval, timezone, headers, data, integrations = [] } = body;
  const checks: [string, () => unknown][] = [
    ['url', () => checkTargetUrl(url, allow, 'url')],
    ['interval', () => parseInterval(interval)],
    ['timezone', () => zoneOf(timezone)],
    ['headers', () => headers && checkHeaders(headers)],
    ['data', () => data && checkData(data)],
    ...integrations.map(({ url }, index): [string, () => unknown] => {
      const where = `integrations[${index}].url`;
      return [where, () => checkTargetUrl(url, allow, where)];
    }),
  ];
  return checks.flatMap(([where, check]) => {
    const sentence = refusal(check);
    return sentence === null ? [] : [{ where, sentence }];
  });
}

function refusal(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof PunctualError) return error.message;
    throw error;
  }
}
