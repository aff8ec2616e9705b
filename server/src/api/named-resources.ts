import { PunctualError } from '../domain/errors.ts';
import type { NamedResourceStore, ScheduleUse } from '../store/contract/named-resource.ts';
import { cursorAfter, DEFAULT_LIMIT, nameAfter } from './http/pagination.ts';

/** Named resources, as far as the endpoints of all kinds are alike. */

type Resources<Stored> = NamedResourceStore<Stored, ScheduleUse>;

/** @throws PunctualError `not_found` */
export async function findResource<Stored>(
  resources: Pick<Resources<Stored>, 'find'>,
  kind: string,
  clientRowId: number,
  name: string,
): Promise<Stored> {
  const found = await resources.find(clientRowId, name);
  if (found === null) throw noResource(kind);
  return found;
}

/**
 * A page of a list by name.
 *
 * @throws PunctualError `cursor_invalid`
 */
export async function listResources<Stored extends { name: string }, Shown>(
  resources: Pick<Resources<Stored>, 'list'>,
  clientRowId: number,
  { limit = DEFAULT_LIMIT, cursor }: { limit?: number; cursor?: string },
  show: (page: Stored[]) => Promise<Shown[]>,
): Promise<{ items: Shown[]; nextCursor?: string }> {
  // One more than asked for tells whether another page follows.
  const found = await resources.list(clientRowId, limit + 1, nameAfter(cursor));
  const page = found.slice(0, limit);
  return {
    items: await show(page),
    ...(found.length > limit && { nextCursor: cursorAfter(page.at(-1)!.name) }),
  };
}

/**
 * @param holder the part of its schedules that names it, for the sentence
 * @throws PunctualError `not_found`, `in_use`
 */
export async function deleteResource(
  resources: Pick<Resources<unknown>, 'delete'>,
  { kind, holder }: { kind: string; holder: string },
  clientRowId: number,
  name: string,
  now: number,
): Promise<{ success: boolean }> {
  const result = await resources.delete(clientRowId, name, now);
  if (result === 'unknown') throw noResource(kind);
  if (result === 'inUse') {
    throw new PunctualError(
      'in_use',
      `The ${kind} ${name} is in use: take it out of ${holder} first.`,
    );
  }
  return { success: true };
}

export function noResource(kind: string): PunctualError {
  return new PunctualError('not_found', `There is no ${kind} with this name.`);
}
