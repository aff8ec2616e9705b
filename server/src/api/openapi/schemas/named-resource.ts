import Type from 'typebox';
import { Instant, ignored, type Named, ref } from './fields.ts';

/** The schemas that all kinds of named resources share. */

/**
 * The fields that the service gives a resource.
 *
 * @param name what its name is for
 */
export const resourceFields = (name: string, updatedAt = 'When it was last put again.') => ({
  name: Type.String({ description: name }),
  createdAt: Instant('When it was first put.'),
  updatedAt: Type.Optional(Instant(updatedAt)),
  usedBy: Type.Integer({ description: 'How many schedules name it, deleted ones not among them.' }),
});

/** The same in a body: a caller may send back an answer as it came. */
export const ignoredResourceFields = () => ({
  name: ignored(),
  createdAt: ignored(),
  updatedAt: ignored(),
  usedBy: ignored(),
});

export const resourcePage = <Item>(item: Named<Item>, kind: string) =>
  Type.Object(
    {
      items: Type.Array(ref(item), { description: 'By name.' }),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
    },
    { description: `A page of ${kind}s.` },
  );

export const resourceDeletion = (kind: string) =>
  Type.Object(
    { success: Type.Boolean({ description: 'Always true.' }) },
    { description: `The ${kind} is deleted.` },
  );
