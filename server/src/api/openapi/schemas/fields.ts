import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';

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

/** An enumeration names null too. */
export function nullableOf(values: readonly string[], schema: object): object {
  return { ...schema, enum: [...values, null] };
}

/** Flattened, so that two spellings of one type become one. */
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

/** True only for types that no generic use can tell apart: `a?: T` is not `a: T | undefined`. */
type Equal<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

type Matching<Schema extends TSchema, Wire> =
  Equal<Static<Schema>, Wire> extends true ? unknown : { 'is not its wire type': Wire };

/** A schema that says exactly what its wire type says. */
export type Proven<Wire> = TUnsafe<Wire>;

/** The same, under a name of its own in the document of the API. */
export type Named<Wire> = Proven<Wire> & { $id: string };

/**
 * Compiles only if the schema says exactly what its wire type says, optional fields included. So server and client
 * cannot drift apart.
 */
export const proven =
  <Wire>() =>
  <Schema extends TSchema>(schema: Schema & Matching<Schema, Wire>) =>
    schema as unknown as Proven<Wire>;

/** By its name, each schema that has one: a `$ref` says only the name. */
const NAMED = new Map<string, Named<unknown>>();

/** A schema with a name of its own in the document; proven as by `proven`. */
export const named =
  <Wire>(name: string) =>
  <Schema extends TSchema>(schema: Schema & Matching<Schema, Wire>): Named<Wire> => {
    const made = Object.assign(schema as unknown as Proven<Wire>, { $id: name });
    NAMED.set(name, made);
    return made;
  };

/** The schema that is registered under `$id`, in its place in another one. */
export const ref = <Wire>({ $id }: Named<Wire>) => Type.Unsafe<Wire>({ $ref: `${$id}#` });

/** Every named schema that the given ones refer to, directly or through others. */
export function referredBy(schemas: object[]): Map<string, Named<unknown>> {
  const found = new Map<string, Named<unknown>>();
  const visit = (schema: object) => {
    for (const [, name] of JSON.stringify(schema).matchAll(/"\$ref":"(\w+)#"/g)) {
      const target = NAMED.get(name!)!;
      if (found.has(name!)) continue;
      found.set(name!, target);
      visit(target);
    }
  };
  for (const schema of schemas) visit(schema);
  return found;
}

export const closed = { additionalProperties: false } as const;

/** A property that a caller may send back as it came; the service ignores it. */
export const ignored = () => Type.Optional(Type.Unknown({ description: 'Accepted and ignored.' }));

export const Id = (description: string) =>
  Type.String({ description: `${description} A UUID of version 7, in lower case.` });

export const Instant = (description: string) =>
  Type.String({
    description: `${description} ISO 8601 in UTC with milliseconds.`,
    examples: ['2026-03-29T01:00:00.000Z'],
  });
