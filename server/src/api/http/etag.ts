import { PunctualError } from '../../domain/errors.ts';

/**
 * Entity tags (RFC 9110, 8.8.3): a schedule's is the number of its last change, in quotes. So who changes a
 * schedule can say which one it has read, and a change that somebody else made meanwhile is not overwritten.
 */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Of a schedule that was never changed (`version` of the tables). */
export const FIRST_VERSION = 1;

/** `If-Match` or `If-None-Match`, read: any tag, or one of these; `W/` stays in front of a weak one. */
export type Condition = '*' | string[];

/** @throws PunctualError `request_invalid` where it is no list of entity tags */
export function readCondition(name: string, value: string | undefined): Condition | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === '*') return '*';
  const parts = value.replace(TAG, 'TAG').split(',');
  const isList = parts.every(part => ['', 'TAG'].includes(part.trim()));
  const tags = value.match(TAG);
  if (isList && tags !== null) return tags;
  throw new PunctualError(
    'request_invalid',
    `The header ${name} must be * or entity tags in quotes, such as "3".`,
  );
}

/** Whether `If-Match` lets a change of this version pass: a weak tag never does (RFC 9110, 13.1.1). */
export function isMatched(condition: Condition | undefined, version: number): boolean {
  if (condition === undefined || condition === '*') return true;
  return condition.includes(etagOf(version));
}

/** Whether `If-None-Match` says that the caller has this version: weak tags count (RFC 9110, 13.1.2). */
export function isKnown(condition: Condition | undefined, version: number): boolean {
  if (condition === undefined) return false;
  return condition === '*' || condition.some(tag => tag.replace(/^W\//, '') === etagOf(version));
}

/** A tag has no quote and no blank in it (RFC 9110, 8.8.3); a list may have empty elements (5.6.1). */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
