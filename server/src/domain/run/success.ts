import { type PointedValue, valueAt } from '../json-pointer.ts';
import type { Policy, Success } from '../schedule/schedule.ts';

/** Success: whether a status counts as one, and whether a body meets the conditions of a policy. */

/** Only the start of a body is judged. */
export const MAX_JUDGED_BODY = 64 * 1024;

/** The demands on an answer, as its request carries them to the thread that reads the body. */
export interface SuccessDemands extends Success {
  /** History keeps no body: then no sentence repeats a value of it, or says why it is not kept. */
  keepsNoBody?: true;
}

/** The start of a body as text, up to `MAX_JUDGED_BODY`. */
export interface JudgedBody {
  text: string;
  /** There is more of it. */
  isLonger: boolean;
  /** Masks secrets in a text of the body that is to be repeated. */
  masked(text: string): string;
}

export function demandsOf(policy: Policy | undefined): SuccessDemands | undefined {
  const keepsBody = (policy?.keepResponse ?? 'all') === 'all';
  return keepsBody ? policy?.success : { ...policy!.success, keepsNoBody: true };
}

/** Whether the body decides: only then is more of it read than history keeps. */
export function judgesBody(success: Success | undefined): success is Success {
  if (success === undefined) return false;
  const { bodyContains, bodyLacks, json } = success;
  return bodyContains !== undefined || bodyLacks !== undefined || json !== undefined;
}

/** @returns the sentence that says which condition the body does not meet; undefined where it meets all */
export function unmetBy(body: JudgedBody, demands: SuccessDemands): string | undefined {
  const { bodyContains, bodyLacks, json } = demands;
  if (bodyContains !== undefined && !body.text.includes(bodyContains)) {
    return `The body does not contain ${quoted(bodyContains)}.`;
  }
  if (bodyLacks !== undefined && body.text.includes(bodyLacks)) {
    return `The body contains ${quoted(bodyLacks)}, and must not.`;
  }
  return json === undefined ? undefined : unmetJson(body, json, demands.keepsNoBody === true);
}

function unmetJson(
  { text, isLonger, masked }: JudgedBody,
  { pointer, equals }: NonNullable<Success['json']>,
  isSilent: boolean,
): string | undefined {
  const where = pointer === '' ? 'The body' : pointer;
  const must = `must be ${shown(equals)}.`;
  if (isLonger)
    return `The body is longer than 64 KiB, so it is not read as JSON, and ${where} ${must}`;
  const document = parsed(text);
  if (document === null) return `The body is not JSON, and ${where} ${must}`;
  const found = valueAt(document.value, pointer);
  if (found?.value === equals) return undefined;
  if (found === null) return `${where} is missing, and ${must}`;
  return isSilent
    ? `${where} was another value, and ${must}`
    : `${where} was ${told(found, masked)}, and ${must}`;
}

/** null where it is no JSON. */
function parsed(text: string): PointedValue | null {
  try {
    // RFC 8259, 8.1: a parser may ignore the mark at its beginning.
    return { value: JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) };
  } catch {
    return null;
  }
}

function told({ value }: PointedValue, masked: (text: string) => string): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? quoted(masked(value)) : masked(String(value));
}

function shown(value: string | number | boolean | null): string {
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** As JSON, with a long text cut. */
function quoted(text: string): string {
  return JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);
}

const MOST_QUOTED = 100;

// Statuses ---------------------------------------------------------------------------------------

/** Whether the status is one of `statuses`, which are such as `304` and `2xx`. */
export function isListed(status: number, statuses: readonly string[]): boolean {
  return statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);
}

export function is2xx(status: number): boolean {
  return status >= 200 && status < 300;
}
