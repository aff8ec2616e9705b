import type { KeepResponse, Overlap, Policy, Problem, Success } from '@punctual/client';
import { numberProblem, tooLong } from '../inputs/field-problems.ts';

/**
 * The fields of a policy beyond its three numbers, as the form has them: text, and choices that may be unset. An unset
 * field stays unset, and a default that somebody wrote down stays written down.
 */
export interface DeliveryDraft {
  /** null: unset. */
  template: boolean | null;
  /** Statuses and classes with commas between. */
  successStatuses: string;
  bodyContains: string;
  bodyLacks: string;
  json: JsonDraft | null;
  /** Seconds with commas between. */
  retryDelays: string;
  retryForSeconds: string;
  /** Statuses and classes, or `none`. */
  retryStatuses: string;
  /** '' is unset, also below. */
  overlap: Overlap | '';
  disableAfterFailures: string;
  disableOnGone: boolean | null;
  keepResponse: KeepResponse | '';
  obeyTarget: boolean | null;
  completionSeconds: string;
}

/** The value that must stand in a JSON body: a text, a number, true, false or null. */
export interface JsonDraft {
  pointer: string;
  kind: 'text' | 'number' | 'true' | 'false' | 'null';
  /** Of a text or a number. */
  equals: string;
}

export type DeliveryField = keyof DeliveryDraft;

const NEW_DELIVERY: DeliveryDraft = {
  template: null,
  successStatuses: '',
  bodyContains: '',
  bodyLacks: '',
  json: null,
  retryDelays: '',
  retryForSeconds: '',
  retryStatuses: '',
  overlap: '',
  disableAfterFailures: '',
  disableOnGone: null,
  keepResponse: '',
  obeyTarget: null,
  completionSeconds: '',
};

export const NEW_JSON: JsonDraft = { pointer: '/ok', kind: 'true', equals: '' };

export const DELIVERY_NAMES = Object.keys(NEW_DELIVERY) as DeliveryField[];

/** The text that stands for no statuses at all. */
export const NO_STATUSES = 'none';

export function newDelivery(): DeliveryDraft {
  return { ...NEW_DELIVERY };
}

export function deliveryDraftOf(policy: Policy = {}): DeliveryDraft {
  const { success = {} } = policy;
  return {
    template: policy.template ?? null,
    successStatuses: success.statuses?.join(', ') ?? '',
    bodyContains: success.bodyContains ?? '',
    bodyLacks: success.bodyLacks ?? '',
    json: success.json === undefined ? null : jsonDraftOf(success.json),
    retryDelays: policy.retryDelaysSeconds?.join(', ') ?? '',
    retryForSeconds: String(policy.retryForSeconds ?? ''),
    retryStatuses: policy.retryStatuses === undefined ? '' : statusText(policy.retryStatuses),
    overlap: policy.overlap ?? '',
    disableAfterFailures: String(policy.disableAfterFailures ?? ''),
    disableOnGone: policy.disableOnGone ?? null,
    keepResponse: policy.keepResponse ?? '',
    obeyTarget: policy.obeyTarget ?? null,
    completionSeconds: String(policy.completion?.deadlineSeconds ?? ''),
  };
}

function statusText(statuses: string[]): string {
  return statuses.length === 0 ? NO_STATUSES : statuses.join(', ');
}

function jsonDraftOf({ pointer, equals }: NonNullable<Success['json']>): JsonDraft {
  if (typeof equals === 'boolean') return { pointer, kind: `${equals}`, equals: '' };
  if (equals === null) return { pointer, kind: 'null', equals: '' };
  const kind = typeof equals === 'number' ? 'number' : 'text';
  return { pointer, kind, equals: String(equals) };
}

/** The part of the policy that is set. The draft has no problems. */
export function deliveryPolicyOf(draft: DeliveryDraft): Policy {
  const { template, overlap, disableOnGone, keepResponse, obeyTarget } = draft;
  const success = successOf(draft);
  const delays = listOf(draft.retryDelays);
  const retryFor = draft.retryForSeconds.trim();
  const statuses = draft.retryStatuses.trim();
  const failures = draft.disableAfterFailures.trim();
  const completion = draft.completionSeconds.trim();
  return {
    ...(template !== null && { template }),
    ...(Object.keys(success).length > 0 && { success }),
    ...(delays.length > 0 && { retryDelaysSeconds: delays.map(Number) }),
    ...(retryFor !== '' && { retryForSeconds: Number(retryFor) }),
    ...(statuses !== '' && { retryStatuses: statuses === NO_STATUSES ? [] : listOf(statuses) }),
    ...(overlap !== '' && { overlap }),
    ...(failures !== '' && { disableAfterFailures: Number(failures) }),
    ...(disableOnGone !== null && { disableOnGone }),
    ...(keepResponse !== '' && { keepResponse }),
    ...(obeyTarget !== null && { obeyTarget }),
    ...(completion !== '' && { completion: { deadlineSeconds: Number(completion) } }),
  };
}

function successOf({ successStatuses, bodyContains, bodyLacks, json }: DeliveryDraft): Success {
  const statuses = listOf(successStatuses);
  return {
    ...(statuses.length > 0 && { statuses }),
    ...(bodyContains !== '' && { bodyContains }),
    ...(bodyLacks !== '' && { bodyLacks }),
    ...(json !== null && { json: { pointer: json.pointer, equals: scalarOf(json) } }),
  };
}

function scalarOf({ kind, equals }: JsonDraft): string | number | boolean | null {
  if (kind === 'text') return equals;
  if (kind === 'null') return null;
  return kind === 'number' ? Number(equals) : kind === 'true';
}

function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(each => each !== '');
}

const WEEK_SECONDS = 604_800;
const DAY_SECONDS = 86_400;
const MOST_DELAYS = 10;
const MOST_STATUSES = 20;
const MOST_CHARACTERS = 500;

/** The problems for which the service would refuse the whole body, each at its field. */
export function deliveryProblems(draft: DeliveryDraft): Problem[] {
  return [
    ...statusProblems('successStatuses', draft.successStatuses),
    ...tooLong('bodyContains', 'The text', draft.bodyContains, MOST_CHARACTERS),
    ...tooLong('bodyLacks', 'The text', draft.bodyLacks, MOST_CHARACTERS),
    ...jsonProblems(draft.json),
    ...delayProblems(draft.retryDelays),
    ...numberProblem('retryForSeconds', draft.retryForSeconds, {
      subject: 'The time for retries',
      from: 1,
      to: WEEK_SECONDS,
    }),
    ...retryStatusProblems(draft.retryStatuses),
    ...numberProblem('disableAfterFailures', draft.disableAfterFailures, {
      subject: 'The number of failures',
      from: 1,
      to: 1_000,
    }),
    ...numberProblem('completionSeconds', draft.completionSeconds, {
      subject: 'The time for the completion',
      from: 1,
      to: WEEK_SECONDS,
    }),
  ];
}

function statusProblems(where: string, text: string): Problem[] {
  const statuses = listOf(text);
  const wrong = statuses.find(each => !/^[1-5](\d\d|xx)$/.test(each));
  if (wrong !== undefined) {
    const sentence = `${wrong} is no status such as 304, and no class such as 2xx.`;
    return [{ where, sentence }];
  }
  if (statuses.length <= MOST_STATUSES) return [];
  return [{ where, sentence: `There are more than ${MOST_STATUSES} statuses.` }];
}

function retryStatusProblems(text: string): Problem[] {
  const where = 'retryStatuses';
  if (text.trim() === NO_STATUSES) return [];
  const shape = statusProblems(where, text);
  if (shape.length > 0) return shape;
  const success = listOf(text).find(each => each.startsWith('2'));
  return success === undefined ? [] : [{ where, sentence: `${success} cannot be retried.` }];
}

function delayProblems(text: string): Problem[] {
  const where = 'retryDelays';
  const delays = listOf(text);
  const isDelay = (each: string) =>
    /^\d{1,5}$/.test(each) && Number(each) >= 1 && Number(each) <= DAY_SECONDS;
  if (!delays.every(isDelay)) {
    return [{ where, sentence: 'Delays must be whole numbers of seconds from 1 to 86,400.' }];
  }
  if (delays.length <= MOST_DELAYS) return [];
  return [{ where, sentence: `There are more than ${MOST_DELAYS} delays.` }];
}

function jsonProblems(json: JsonDraft | null): Problem[] {
  if (json === null) return [];
  const { pointer, kind, equals } = json;
  if (!/^(\/([^~]|~[01])*)?$/.test(pointer)) {
    const sentence = 'A pointer begins with a slash, such as /ok or /result/0/state.';
    return [{ where: 'json', sentence }];
  }
  const isNumber = equals.trim() !== '' && Number.isFinite(Number(equals));
  if (kind === 'number' && !isNumber) {
    return [{ where: 'json', sentence: 'The value must be a number.' }];
  }
  return [
    ...tooLong('json', 'The pointer', pointer, MOST_CHARACTERS),
    ...tooLong('json', 'The value', equals, MOST_CHARACTERS),
  ];
}

/** The fields of the form, by the paths under which the service names them. */
const PATHS: [path: string, field: string][] = [
  ['policy.success.statuses', 'successStatuses'],
  ['policy.success.json', 'json'],
  ['policy.success.', ''],
  ['policy.retryDelaysSeconds', 'retryDelays'],
  ['policy.completion', 'completionSeconds'],
  ['policy.', ''],
];

/** The field of the form for a path in a policy, such as `json` for `policy.success.json.pointer`; others as they are. */
export function fieldAt(where: string): string {
  const found = PATHS.find(([path]) => where.startsWith(path));
  if (found === undefined) return where;
  const [path, field] = found;
  return field || /^\w+/.exec(where.slice(path.length))![0];
}

/** The draft without the fields that have a problem. */
export function checkableDelivery(draft: DeliveryDraft, isWrong: (field: string) => boolean) {
  const right = DELIVERY_NAMES.map(field => [
    field,
    isWrong(field) ? NEW_DELIVERY[field] : draft[field],
  ]);
  return Object.fromEntries(right) as unknown as DeliveryDraft;
}

export function delayCount({ retryDelays }: Pick<DeliveryDraft, 'retryDelays'>): number {
  return listOf(retryDelays).length;
}

/** How many of the fields are set. */
export function setCount(draft: DeliveryDraft, fields: readonly DeliveryField[]): number {
  return fields.filter(field => draft[field] !== NEW_DELIVERY[field]).length;
}
