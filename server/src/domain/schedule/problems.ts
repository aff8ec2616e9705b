import { checkInterval } from '../calendar/times.ts';
import { zoneOf } from '../calendar/zones/zone.ts';
import { PunctualError } from '../errors.ts';
import type { ScheduleBody } from './body.ts';
import { checkData } from './data.ts';
import { checkHeaders } from './headers.ts';
import { checkExternalId, checkTags } from './identity.ts';
import { policyChecks } from './policy-draft.ts';
import { checkRawBody } from './raw-body.ts';
import { checkFits, checkKnown, type References } from './references.ts';
import { type AllowTargets, checkTargetUrl } from './target.ts';
import { templateChecks } from './template/check.ts';
import {
  checkBounds,
  checkComing,
  checkOnExcluded,
  checkOneOff,
  instantOf,
  timingFrom,
  unstoredWhen,
  versionOf,
} from './timing-draft.ts';

/** The error of one property. */
export interface Problem {
  /** `url`, `integrations[0].url`. */
  where: string;
  sentence: string;
}

/** The facts by which a body is judged. */
interface Around {
  allow: AllowTargets;
  now: number;
  /** At least those of the names in it that are there. */
  references: References;
}

/**
 * All that a create would refuse in a body of the right shape, property by property, by the same
 * rules: a form shows each where it belongs. Empty where the body can be stored, unless its external id is taken.
 */
export function problemsOf(body: ScheduleBody, around: Around): Problem[] {
  const problems: Problem[] = [];
  for (const { where, needs = [], run } of checksOf(body, around)) {
    if (problems.some(problem => problem.where === where || needs.includes(fieldOf(problem)))) {
      continue;
    }
    const sentence = refusal(run);
    if (sentence !== null) problems.push({ where, sentence });
  }
  return problems;
}

/** Whether times can be counted in spite of these problems. */
export function isTimed(problems: readonly Problem[]): boolean {
  return !problems.some(problem => TIMING_FIELDS.includes(fieldOf(problem)));
}

/** Whether the request can be rendered in spite of these problems. */
export function isRendered(problems: readonly Problem[]): boolean {
  return !problems.some(problem => REQUEST_FIELDS.includes(fieldOf(problem)));
}

const REQUEST_FIELDS = ['url', 'headers', 'data', 'body', 'timezone'];
const BOUNDS = ['startsAt', 'endsAt', 'pausedUntil'] as const;
const TIMING_FIELDS = ['interval', 'timezone', ...BOUNDS, 'exclude', 'onExcluded'];

interface Check {
  where: string;
  /** Fields without which nothing can be said: it is left out where one of them has a problem. */
  needs?: readonly string[];
  run(): unknown;
}

function checksOf(body: ScheduleBody, around: Around): Check[] {
  const { allow, now } = around;
  const { calendars, destinations } = around.references;
  const { url, interval, timezone, headers, data, integrations = [] } = body;
  const { externalId, tags, exclude = [] } = body;
  return [
    ...templateChecks(body),
    { where: 'url', run: () => checkTargetUrl(url, allow, 'url') },
    { where: 'interval', run: () => checkInterval({ interval, timezone: 'UTC' }) },
    { where: 'timezone', run: () => zoneOf(timezone) },
    { where: 'interval', needs: ['timezone'], run: () => checkOneOff(body, null, now) },
    { where: 'headers', run: () => headers && checkHeaders(headers) },
    { where: 'destination', run: () => checkKnown(body, destinations) },
    ...(['url', 'headers'] as const).map(where => ({
      where,
      run: () => checkFits(body, where, destinations),
    })),
    { where: 'data', run: () => data && checkData(data) },
    ...integrations.map(({ url }, index) => {
      const where = `integrations[${index}].url`;
      return { where, run: () => checkTargetUrl(url, allow, where) };
    }),
    { where: 'externalId', run: () => externalId !== undefined && checkExternalId(externalId) },
    { where: 'tags', run: () => tags && checkTags(tags) },
    { where: 'body', run: () => checkBody(body) },
    ...policyChecks(body.policy ?? {}, allow.lacksUrl),
    ...BOUNDS.map(where => ({ where, run: () => instantOf(body, where) })),
    { where: 'endsAt', needs: BOUNDS, run: () => checkBounds(timingFrom(body, now)) },
    ...exclude.map((_, index) => ({
      where: `exclude[${index}]`,
      run: () => versionOf(exclude, index, calendars),
    })),
    {
      where: 'onExcluded',
      needs: ['interval', ...BOUNDS],
      run: () => checkOnExcluded(interval, timingFrom(body, now)),
    },
    { where: bounding(body), needs: TIMING_FIELDS, run: () => checkTimes(body, around) },
  ];
}

function checkBody({ body, verb, data }: ScheduleBody): void {
  if (body !== undefined) checkRawBody(body, verb, data);
}

function checkTimes(body: ScheduleBody, { now, references }: Around): void {
  const when = unstoredWhen(body, now, references.calendars);
  if (body.status !== 'disabled') checkComing(when, now);
}

/** The field that leaves no time to come. */
function bounding({ endsAt, exclude }: ScheduleBody): string {
  if (endsAt !== undefined) return 'endsAt';
  return exclude === undefined ? 'interval' : 'exclude';
}

/** `exclude` of `exclude[0]`. */
export function fieldOf({ where }: Problem): string {
  return where.split('[', 1)[0]!;
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
