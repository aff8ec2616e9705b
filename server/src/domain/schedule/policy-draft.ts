import { PunctualError } from '../errors.ts';
import { isPointer } from '../json-pointer.ts';
import type { Policy, Success } from './schedule.ts';

/** The rules of a policy beyond its shape, which the schemas check (api/openapi/schemas/policy.ts). */

/** One rule of one field. */
export interface PolicyCheck {
  /** `policy.retryStatuses[1]`. */
  where: string;
  /** @throws PunctualError */
  run(): void;
}

/**
 * @param lacksUrl whether PUNCTUAL_URL is unset, which completions need
 * @throws PunctualError `request_invalid`
 */
export function checkPolicy(policy: Policy, lacksUrl = false): void {
  for (const { run } of policyChecks(policy, lacksUrl)) run();
}

/** Every rule that the policy has to keep, field by field. */
export function policyChecks(
  { success, retryStatuses = [], completion }: Policy,
  lacksUrl = false,
): PolicyCheck[] {
  return [
    ...(completion === undefined ? [] : completionChecks(completion, lacksUrl)),
    ...(success === undefined ? [] : successChecks(success)),
    ...retryStatuses.map((status, index) => {
      const where = `policy.retryStatuses[${index}]`;
      return { where, run: () => checkRetryStatus(status, where) };
    }),
  ];
}

/** A patch that is merged into a policy may leave the deadline out. */
function completionChecks(
  { deadlineSeconds }: Partial<NonNullable<Policy['completion']>>,
  lacksUrl: boolean,
): PolicyCheck[] {
  const where = 'policy.completion.deadlineSeconds';
  return [
    { where: 'policy.completion', run: () => lacksUrl && fail(NEEDS_URL) },
    { where, run: () => required(deadlineSeconds, where) },
  ];
}

const NEEDS_URL =
  'policy.completion needs the setting PUNCTUAL_URL: targets send their completions there.';

function successChecks({ statuses = [], json }: Success): PolicyCheck[] {
  const checks = statuses.map((status, index) => {
    const where = `policy.success.statuses[${index}]`;
    return { where, run: () => checkStatus(status, where) };
  });
  return json === undefined ? checks : [...checks, ...jsonChecks(json)];
}

/** A patch that is merged into a policy may leave a half of it out. */
function jsonChecks(json: Partial<NonNullable<Success['json']>>): PolicyCheck[] {
  const pointer = 'policy.success.json.pointer';
  const equals = 'policy.success.json.equals';
  return [
    { where: pointer, run: () => checkPointer(json.pointer, pointer) },
    { where: equals, run: () => json.equals === undefined && fail(`${equals} ${NULL_BY_PUT}`) },
  ];
}

const NULL_BY_PUT = 'is required: a PATCH removes what is null, so set null by PUT.';

function checkPointer(pointer: string | undefined, where: string): void {
  required(pointer, where);
  if (isPointer(pointer)) return;
  fail(
    `${where} must be empty or begin with "/", and have "~" only as "~0" or "~1" (RFC 6901).`,
    pointer,
  );
}

function checkRetryStatus(status: string, where: string): void {
  checkStatus(status, where);
  if (status.startsWith('2')) fail(`${where} must not be a status or class of 2xx.`);
}

function checkStatus(status: string, where: string): void {
  if (STATUS.test(status)) return;
  fail(
    `${where} must be a status from 100 to 599, such as "429", or a class, such as "5xx".`,
    status,
  );
}

function required<Value>(value: Value | undefined, where: string): asserts value is Value {
  if (value === undefined) fail(`${where} is required.`);
}

function fail(sentence: string, refused = ''): never {
  throw new PunctualError('request_invalid', sentence, { refused });
}

const STATUS = /^[1-5](?:\d\d|xx)$/;
