import type { IntegrationInput, Problem, Schedule, ScheduleInput, Verb } from '@punctual/client';
import type { CurlFields } from './curl.ts';

/** What stands in the form: everything as text and rows, also what is not complete yet. */
export interface Draft {
  label: string;
  verb: Verb;
  url: string;
  interval: string;
  timezone: string;
  headers: Pair[];
  data: Pair[];
  integrations: IntegrationInput[];
  timeoutSeconds: string;
  maxRetries: string;
  catchUpSeconds: string;
}

export type Pair = [name: string, value: string];

export function newDraft(timezone: string): Draft {
  return {
    label: '',
    verb: 'GET',
    url: '',
    interval: '*/5 * * * *',
    timezone,
    headers: [],
    data: [],
    integrations: [],
    timeoutSeconds: '',
    maxRetries: '',
    catchUpSeconds: '',
  };
}

export function draftOf(schedule: Schedule): Draft {
  const { label, verb, url, interval, timezone, headers, data, integrations, policy } = schedule;
  const text = (value: number | undefined) => (value === undefined ? '' : String(value));
  return {
    label,
    verb,
    url,
    interval,
    timezone,
    headers: Object.entries(headers ?? {}),
    data: Object.entries(data ?? {}),
    integrations: integrations ?? [],
    timeoutSeconds: text(policy?.timeoutSeconds),
    maxRetries: text(policy?.maxRetries),
    catchUpSeconds: text(policy?.catchUpSeconds),
  };
}

export function withCurl(draft: Draft, { url, verb, headers, data }: CurlFields): Draft {
  return { ...draft, url, verb, headers: Object.entries(headers), data: Object.entries(data) };
}

/** The body that a create or a replace sends. Rows without a name are not sent. */
export function inputOf(draft: Draft): ScheduleInput {
  const { label, verb, url, interval, timezone, integrations } = draft;
  const headers = objectOf(draft.headers);
  const data = objectOf(draft.data);
  const policy = policyOf(draft);
  return {
    label,
    verb,
    url: url.trim(),
    interval: interval.trim(),
    timezone,
    ...(headers && { headers }),
    ...(data && { data }),
    ...(integrations.length > 0 && { integrations }),
    ...(policy && { policy }),
  };
}

/** What the service can judge while the fields that `problems` name are mended. */
export function checkableOf(draft: Draft, problems: Problem[]): ScheduleInput {
  const wrong = new Set(problems.map(({ where }) => where));
  const whole = (field: 'timeoutSeconds' | 'maxRetries' | 'catchUpSeconds') =>
    wrong.has(field) ? '' : draft[field];
  return inputOf({
    ...draft,
    label: wrong.has('label') ? '' : draft.label,
    integrations: draft.integrations.map((each, index) =>
      wrong.has(`integrations[${index}].name`) ? { ...each, name: '' } : each,
    ),
    timeoutSeconds: whole('timeoutSeconds'),
    maxRetries: whole('maxRetries'),
    catchUpSeconds: whole('catchUpSeconds'),
  });
}

function objectOf(pairs: Pair[]): Record<string, string> | null {
  const named = pairs.filter(([name]) => name.trim() !== '');
  return named.length === 0
    ? null
    : Object.fromEntries(named.map(([name, value]) => [name.trim(), value]));
}

function policyOf({ timeoutSeconds, maxRetries, catchUpSeconds }: Draft) {
  const given = Object.entries({ timeoutSeconds, maxRetries, catchUpSeconds })
    .filter(([, text]) => text.trim() !== '')
    .map(([name, text]) => [name, Number(text)] as const);
  return given.length === 0 ? null : Object.fromEntries(given);
}
