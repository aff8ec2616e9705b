import type { KeepResponse, Overlap, Policy, Success } from '@punctual/client';
import type { DeliveryDraft, DeliveryField, JsonDraft } from '../form/delivery-draft.ts';
import { span } from '../time/times.ts';
import { labelOf } from './timing-choices.ts';

/** The fields of a policy beyond its three numbers, as the pages name and show them. */

export const DELIVERY_WORDS: Record<DeliveryField, { label: string; help: string }> = {
  template: {
    label: 'Replace names in the request',
    help: 'Names such as {{run.id}} are replaced in the url, the headers and the payload.',
  },
  successStatuses: {
    label: 'Success statuses',
    help: 'With commas between, such as 2xx, 304. 2xx if empty.',
  },
  bodyContains: {
    label: 'Answer contains',
    help: 'A run fails if its answer lacks this text.',
  },
  bodyLacks: {
    label: 'Answer lacks',
    help: 'A run fails if its answer has this text.',
  },
  json: {
    label: 'A value of a JSON answer must be right',
    help: 'A run fails if another value stands there.',
  },
  retryDelays: {
    label: 'Delays before retries',
    help: 'Seconds with commas between, such as 10, 60, 300. The last one repeats.',
  },
  retryForSeconds: {
    label: 'Retry for',
    help: 'Seconds. No retry starts later than this after the due time.',
  },
  retryStatuses: {
    label: 'Statuses to retry',
    help: '408, 425, 429, 5xx if empty. Write none to retry only timeouts and network errors.',
  },
  overlap: {
    label: 'If a run is still going',
    help: 'The fate of a time that comes meanwhile; of several, of the latest.',
  },
  disableAfterFailures: {
    label: 'Disable after failures',
    help: 'This number of failed runs in a row disables the schedule.',
  },
  disableOnGone: {
    label: 'A 410 disables the schedule',
    help: 'With this status a target says that it is gone for good.',
  },
  keepResponse: {
    label: 'Kept of answers',
    help: 'History shows this much of each answer.',
  },
  obeyTarget: {
    label: 'Obey the target',
    help: 'A target may pause or disable its schedule, or ask for another run (Punctual-Control).',
  },
  completionSeconds: {
    label: 'Completion within',
    help: 'Seconds. A target that answers 202 tells the end of its run later, within this time.',
  },
};

export const OVERLAPS: { value: Overlap; label: string }[] = [
  { value: 'skip', label: 'skip the time' },
  { value: 'bufferOne', label: 'fire when it ends' },
];

export const KEPT: { value: KeepResponse; label: string }[] = [
  { value: 'all', label: 'headers and body' },
  { value: 'headers', label: 'headers' },
  { value: 'none', label: 'only the status' },
];

export const JSON_KINDS: { value: JsonDraft['kind']; label: string }[] = [
  { value: 'true', label: 'is true' },
  { value: 'false', label: 'is false' },
  { value: 'null', label: 'is null' },
  { value: 'text', label: 'is the text' },
  { value: 'number', label: 'is the number' },
];

/** The fields of a stored policy that are set, in words. */
export function deliveryFacts(policy: Policy = {}): [label: string, text: string][] {
  const { template, success, retryDelaysSeconds, retryForSeconds, retryStatuses } = policy;
  const { overlap, disableAfterFailures, disableOnGone, keepResponse } = policy;
  const { obeyTarget, completion } = policy;
  const facts: [string, string | false | undefined][] = [
    ['Templates', template && 'names are replaced in the request'],
    ['Succeeds if', success && successText(success)],
    ['Delays before retries', retryDelaysSeconds && delaysText(retryDelaysSeconds)],
    ['Retried for', retryForSeconds !== undefined && secondsText(retryForSeconds)],
    ['Statuses to retry', retryStatuses && retriedText(retryStatuses)],
    [DELIVERY_WORDS.overlap.label, overlap && labelOf(OVERLAPS, overlap)],
    ['Disabled after', disableAfterFailures !== undefined && failuresText(disableAfterFailures)],
    ['Disabled by a 410', disableOnGone && 'yes'],
    [DELIVERY_WORDS.keepResponse.label, keepResponse && labelOf(KEPT, keepResponse)],
    ['Obeys its target', obeyTarget === false && 'no'],
    [
      'Completion',
      completion && `a 202 may complete within ${secondsText(completion.deadlineSeconds)}`,
    ],
  ];
  return facts.filter((fact): fact is [string, string] => typeof fact[1] === 'string');
}

function successText({ statuses = ['2xx'], bodyContains, bodyLacks, json }: Success): string {
  const conditions = [
    `the status is ${orText(statuses)}`,
    bodyContains !== undefined && `the answer contains “${bodyContains}”`,
    bodyLacks !== undefined && `the answer lacks “${bodyLacks}”`,
    json !== undefined && `${json.pointer || 'the JSON'} is ${JSON.stringify(json.equals)}`,
  ];
  return conditions.filter(each => each !== false).join('; ');
}

function orText(texts: string[]): string {
  return texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

function delaysText(delays: number[]): string {
  return delays.map(secondsText).join(', ');
}

function retriedText(statuses: string[]): string {
  return statuses.length === 0 ? 'none: only timeouts and network errors' : statuses.join(', ');
}

function failuresText(count: number): string {
  return count === 1 ? 'one failed run' : `${count.toLocaleString('en-GB')} failed runs in a row`;
}

/** Exact: nothing is rounded as in a `span` of a history. */
function secondsText(seconds: number): string {
  const unit = seconds < 120 ? 1 : seconds < 7_200 ? 60 : seconds < 172_800 ? 3_600 : 86_400;
  const isExact = seconds % unit === 0;
  return isExact ? span(seconds * 1_000) : `${seconds.toLocaleString('en-GB')} s`;
}

/** A field of a draft as one line. */
export function deliveryText(draft: DeliveryDraft, field: DeliveryField): string {
  const value = draft[field];
  if (value === null || value === '') return 'the default';
  if (field === 'json') return jsonText(draft.json!);
  if (field === 'overlap') return labelOf(OVERLAPS, draft.overlap as Overlap);
  if (field === 'keepResponse') return labelOf(KEPT, draft.keepResponse as KeepResponse);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}

function jsonText({ pointer, kind, equals }: JsonDraft): string {
  return `${pointer || 'the JSON'} ${labelOf(JSON_KINDS, kind)} ${equals}`.trim();
}
