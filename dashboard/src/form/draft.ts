import type {
  AfterCompletion,
  IntegrationInput,
  OnExcluded,
  Policy,
  Problem,
  Schedule,
  ScheduleInput,
  Verb,
} from '@punctual/client';
import type { PastedRequest } from '../paste/paste.ts';
import { eachField, POLICY_NAMES, type PolicyField } from '../schedule/policy-fields.ts';
import { COUNT_NAMES, type CountField } from '../schedule/timing-choices.ts';
import {
  checkableDelivery,
  type DeliveryDraft,
  deliveryDraftOf,
  deliveryPolicyOf,
  newDelivery,
} from './delivery-draft.ts';

/** The contents of the form: all fields as text and rows, even incomplete ones. */
export interface Draft extends Record<PolicyField | CountField, string>, DeliveryDraft {
  label: string;
  verb: Verb;
  url: string;
  interval: string;
  timezone: string;
  /** ISO 8601, or '' for none. */
  startsAt: string;
  endsAt: string;
  exclude: string[];
  onExcluded: OnExcluded;
  afterCompletion: AfterCompletion;
  headers: Pair[];
  data: Pair[];
  /** Raw, instead of `data`; '' for none. */
  body: string;
  externalId: string;
  tags: Pair[];
  integrations: IntegrationInput[];
  /** The name of a destination; '' for none. */
  destination: string;
}

export type Pair = [name: string, value: string];

export function newDraft(timezone: string): Draft {
  return {
    label: '',
    verb: 'GET',
    url: '',
    interval: '*/5 * * * *',
    timezone,
    startsAt: '',
    endsAt: '',
    maxRuns: '',
    windowSeconds: '',
    exclude: [],
    onExcluded: 'skip',
    afterCompletion: 'disable',
    headers: [],
    data: [],
    body: '',
    externalId: '',
    tags: [],
    integrations: [],
    destination: '',
    ...eachField(() => ''),
    ...newDelivery(),
  };
}

export function draftOf(schedule: Schedule): Draft {
  const { label, verb, url, interval, timezone, headers, data, tags, policy } = schedule;
  return {
    label,
    verb,
    url,
    interval,
    timezone,
    startsAt: schedule.startsAt ?? '',
    endsAt: schedule.endsAt ?? '',
    maxRuns: String(schedule.maxRuns ?? ''),
    windowSeconds: String(schedule.windowSeconds ?? ''),
    exclude: schedule.exclude ?? [],
    onExcluded: schedule.onExcluded ?? 'skip',
    afterCompletion: schedule.afterCompletion ?? 'disable',
    headers: Object.entries(headers ?? {}),
    data: Object.entries(data ?? {}),
    body: schedule.body ?? '',
    externalId: schedule.externalId ?? '',
    tags: Object.entries(tags ?? {}),
    integrations: schedule.integrations ?? [],
    destination: schedule.destination ?? '',
    ...eachField(field => String(policy?.[field] ?? '')),
    ...deliveryDraftOf(policy),
  };
}

/** A draft that was kept by an older page lacks the fields that came since. */
export function completeDraft(kept: Partial<Draft>, timezone: string): Draft {
  return { ...newDraft(timezone), ...kept };
}

/** A request that was pasted, in place of the draft's. Its interval and label count where it has some. */
export function withRequest(draft: Draft, pasted: PastedRequest): Draft {
  const { url, verb, headers, data, body = '' } = pasted.fields;
  return {
    ...draft,
    url,
    verb,
    headers: Object.entries(headers),
    data: Object.entries(data),
    body,
    ...(pasted.interval !== undefined && { interval: pasted.interval }),
    ...(pasted.timezone !== undefined && { timezone: pasted.timezone }),
    ...(pasted.label && { label: pasted.label }),
  };
}

/** The body that a create sends. Rows without a name are not sent. */
export function inputOf(draft: Draft): ScheduleInput {
  const { label, verb, url, interval, timezone, body, externalId, integrations } = draft;
  const { destination } = draft;
  const headers = objectOf(draft.headers);
  const data = objectOf(draft.data);
  const tags = objectOf(draft.tags);
  const policy = policyOf(draft);
  return {
    label,
    verb,
    url: url.trim(),
    interval: interval.trim(),
    timezone,
    ...timingOf(draft),
    ...(headers && { headers }),
    ...(data && { data }),
    ...(body !== '' && { body }),
    ...(externalId.trim() !== '' && { externalId: externalId.trim() }),
    ...(tags && { tags }),
    ...(integrations.length > 0 && { integrations }),
    ...(destination !== '' && { destination }),
    ...(policy && { policy }),
  };
}

/** Defaults are left out. */
function timingOf(draft: Draft) {
  const { startsAt, endsAt, exclude, onExcluded, afterCompletion } = draft;
  const counts = COUNT_NAMES.filter(field => draft[field].trim() !== '').map(
    field => [field, Number(draft[field])] as const,
  );
  return {
    ...(startsAt !== '' && { startsAt }),
    ...(endsAt !== '' && { endsAt }),
    ...Object.fromEntries(counts),
    ...(exclude.length > 0 && { exclude }),
    ...(exclude.length > 0 && onExcluded !== 'skip' && { onExcluded }),
    ...(afterCompletion !== 'disable' && { afterCompletion }),
  };
}

/** The part of the draft that the service can check while the fields in `problems` are invalid. */
export function checkableOf(draft: Draft, problems: Problem[]): ScheduleInput {
  const wrong = new Set(problems.map(({ where }) => where));
  const isWrong = (field: string) => wrong.has(field);
  const isWithin = (field: string) => problems.some(({ where }) => where.startsWith(field));
  return inputOf({
    ...draft,
    label: isWrong('label') ? '' : draft.label,
    externalId: isWrong('externalId') ? '' : draft.externalId,
    tags: isWithin('tags') ? [] : draft.tags,
    body: isWrong('body') ? '' : draft.body,
    maxRuns: isWrong('maxRuns') ? '' : draft.maxRuns,
    windowSeconds: isWrong('windowSeconds') ? '' : draft.windowSeconds,
    integrations: draft.integrations.map((each, index) =>
      isWrong(`integrations[${index}].name`) ? { ...each, name: '' } : each,
    ),
    ...eachField(field => (isWrong(field) ? '' : draft[field])),
    ...checkableDelivery(draft, isWrong),
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
  const policy: Policy = { ...Object.fromEntries(given), ...deliveryPolicyOf(draft) };
  return Object.keys(policy).length === 0 ? null : policy;
}
