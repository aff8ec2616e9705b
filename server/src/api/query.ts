import type { FastifyRequest } from 'fastify';
import { PunctualError } from '../domain/errors.ts';
import { isKeepable } from './json.ts';

/**
 * Query parameters. An operation sees those it knows; others are ignored, since the interface says
 * that its operations use none and does not say that they refuse any.
 */
type Values = Record<string, Array<string | null>>;

/** Each parameter with its values in order, null for one that is not UTF-8 in percent signs. */
export function parseQuery(text: string): Values {
  if (text === '') return NONE;
  const values: Values = Object.create(null);
  for (const pair of text.split('&')) {
    const [name = '', ...rest] = pair.split('=');
    const key = decoded(name);
    if (key === null) continue;
    values[key] ??= [];
    values[key].push(decoded(rest.join('=')));
  }
  return values;
}

const NONE: Values = Object.freeze(Object.create(null));

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

/**
 * Brings the known parameters into the form that their schema judges: one value each, and a number
 * where the schema wants one and the text is one.
 *
 * @throws PunctualError `request_invalid`
 */
export function readQuery(request: FastifyRequest): void {
  const schema = request.routeOptions.schema?.querystring as QuerySchema | undefined;
  if (schema === undefined) return;
  const given = request.query as Values;
  const query: Record<string, string | number> = {};
  for (const [name, { type }] of Object.entries(schema.properties)) {
    const value = single(name, given[name]);
    if (value === undefined) continue;
    query[name] = type === 'integer' && /^(?:0|[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
  }
  request.query = query;
}

interface QuerySchema {
  properties: Record<string, { type?: string }>;
}

function single(name: string, values: Array<string | null> = []): string | undefined {
  if (values.length === 0) return undefined;
  if (values.length > 1) throw refused(`The query parameter ${name} is there more than once.`);
  const [value] = values;
  if (value == null || !isKeepable(value)) {
    throw refused(`The query parameter ${name} is not UTF-8 text without NUL.`);
  }
  return value;
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
