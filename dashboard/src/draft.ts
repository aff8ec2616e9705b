import type { IntegrationInput, Problem, Schedule, ScheduleInput, Verb } from '@punctual/client';
import type { CurlFields } from './curl.ts';
import { eachField, POLICY_NAMES, type PolicyField } from './policy-fields.ts';

/** The contents of the form: all fields as text and rows, even incomplete ones. */
export interface Draft extends Record<PolicyField, string> {
  label: string;
  verb: Verb;
  url: string;
  interval: string;
  timezone: string;
  headers: Pair[];
  data: Pair[];
  integrations: IntegrationInput[];
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
    ...eachField(() => ''),
  };
}

export function draftOf(schedule: Schedule): Draft {
  const { label, verb, url, interval, timezone, headers, data, integrations, policy } = schedule;
  return {
    label,
    verb,
    url,
    interval,
    timezone,
    headers: Object.entries(headers ?? {}),
    data: Object.entries(data ?? {}),
    integrations: integrations ?? [],
    ...eachField(field => String(policy?.[field] ?? '')),
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

/** The part of the draft that the service can check while the fields in `problems` are invalid. */
export function checkableOf(draft: Draft, problems: Problem[]): ScheduleInput {
  const wrong = new Set(problems.map(({ where }) => where));
  return inputOf({
    ...draft,
    label: wrong.has('label') ? '' : draft.label,
    integrations: draft.integrations.map((each, index) =>
      wrong.has(`integrations[${index}].name`) ? { ...each, name: '' } : each,
    ),
    ...eachField(field => (wrong.has(field) ? '' : draft[field])),
  });
}

function objectOf(pairs: Pair[]): Record<string, string> | null {
  const named = pairs.filter(([name]) => name.trim() !== '');
  return named.length === 0
    ? null
    : Object.fromEntries(named.map(([name, value]) => [name.trim(), value]));
}

function policyOf(draft: Draft) {
  const given = POLICY_NAMES.filter(field => draft[field].trim() !== '').map(
    field => [field, Number(draft[field])] as const,
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}
