import validatorCompiler from '@fastify/ajv-compiler';
import serializerCompiler from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';

/**
 * Fastify's own compilers of schemas, each schema when it is first needed: to compile all of them takes half of a
 * start, and holds up the first firings.
 */

type Factories = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>;
// biome-ignore lint/suspicious/noExplicitAny: Fastify types neither what compiles nor what is compiled
type Compile = FastifySchemaCompiler<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type Compiled = any;
// biome-ignore lint/suspicious/noExplicitAny: as above
type Factory = (schemas: any, options: any) => Compile;

export function lazyCompilers(): Factories {
  return {
    buildValidator: validating(validatorCompiler()),
    buildSerializer: serializing(serializerCompiler() as unknown as Factory),
  } as Factories;
}

function serializing(factory: Factory): Factory {
  return (schemas, options) => {
    const compile = once(() => factory(schemas, options));
    return route => {
      const serialize = once<Compiled>(() => compile()(route));
      return (data: unknown) => serialize()(data);
    };
  };
}

function validating(factory: Factory): Factory {
  return (schemas, options) => {
    const compile = once(() => factory(schemas, options));
    return route => {
      const check = once<Compiled>(() => compile()(route));
      const validate: Compiled = (data: unknown) => {
        const isValid = check()(data);
        validate.errors = check().errors;
        return isValid;
      };
      return validate;
    };
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
