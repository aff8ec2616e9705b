import type { IncomingHttpHeaders } from 'node:http';
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

/** The demands of a caller on the version that it changes, or on its absence. */
export interface Conditions {
  /** Of `If-Match`: the versions that may be changed. */
  match?: Condition | undefined;
  /** Of `If-None-Match`: the versions that may not; `*` means all. */
  noneMatch?: Condition | undefined;
}

/** @throws PunctualError `request_invalid` where one is no list of entity tags */
export function readConditions(headers: IncomingHttpHeaders): Conditions {
  return {
    match: readCondition('If-Match', headers['if-match']),
    noneMatch: readCondition('If-None-Match', headers['if-none-match']),
  };
}

/** @throws PunctualError `precondition_failed` where this version may not be changed */
export function checkConditions({ match, noneMatch }: Conditions, version: number): void {
  if (!isMatched(match, version)) {
    throw failed(
      'The schedule was changed meanwhile: it is no longer the version that If-Match names.',
    );
  }
  if (isKnown(noneMatch, version)) {
    throw failed('The schedule is there, and is a version that If-None-Match names.');
  }
}

/** @throws PunctualError `precondition_failed` where `If-Match` names a version, and there is no schedule */
export function checkAbsent({ match }: Conditions): void {
  if (match === undefined) return;
  throw failed('There is no schedule with this externalId, so no version that If-Match names.');
}

function failed(sentence: string): PunctualError {
  return new PunctualError('precondition_failed', sentence);
}

/** A tag has no quote and no blank in it (RFC 9110, 8.8.3); a list may have empty elements (5.6.1). */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
