import type { Problem } from '@punctual/client';

/** Named resources, as far as all kinds of them are alike. */

/** Its page, its query and its sentences are called so; with an s, those of the list. */
export type ResourceKind = 'calendar' | 'destination';

export interface NamedResource {
  name: string;
  createdAt: string;
  updatedAt?: string;
  /** How many schedules name it. */
  usedBy: number;
}

export function capital(kind: ResourceKind): string {
  return `${kind[0]!.toUpperCase()}${kind.slice(1)}`;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** @param taken names that a new one cannot have: it would replace another one */
export function nameProblems(kind: ResourceKind, name: string, taken: string[]): Problem[] {
  if (taken.includes(name)) {
    return [{ where: 'name', sentence: `There is a ${kind} of this name already.` }];
  }
  if (NAME.test(name)) return [];
  const sentence = 'A name has 1 to 63 characters of a-z 0-9 and -, and begins with no hyphen.';
  return [{ where: 'name', sentence }];
}
