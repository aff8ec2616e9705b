import Type, { type Static, type TSchema } from 'typebox';

/** Building blocks of the schemas. */

export const oneOf = <Value extends string>(
  values: readonly Value[],
  options: { description?: string } = {},
) => Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options });

/**
 * Not `Type.Record`: that becomes a pattern (`^.*$`), which a key with a line break slips past.
 */
export const strings = (options: object = {}) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    ...options,
  });

export const orNull = <Value>(schema: object, options: object = {}) => {
  const { type, ...rest } = schema as { type: string };
  return Type.Unsafe<Value | null>({ ...rest, type: [type, 'null'], ...options });
};

/** A schema that the document of the API has under a name of its own. */
export const named = <Schema extends TSchema, Name extends string>(name: Name, schema: Schema) =>
  Object.assign(schema, { $id: name });

/** The schema that is registered under `$id`, in its place in another one. */
export const ref = <Schema extends TSchema & { $id: string }>(schema: Schema) =>
  Type.Unsafe<Static<Schema>>({ $ref: `${schema.$id}#` });

export const closed = { additionalProperties: false } as const;

/** What may be sent back as it came, and is not looked at. */
export const ignored = () => Type.Optional(Type.Unknown({ description: 'Accepted and ignored.' }));

export const Id = (description: string) =>
  Type.String({ description: `${description} A UUID of version 7, in lower case.` });

export const Instant = (description: string) =>
  Type.String({
    description: `${description} ISO 8601 in UTC with milliseconds.`,
    examples: ['2026-03-29T01:00:00.000Z'],
  });
