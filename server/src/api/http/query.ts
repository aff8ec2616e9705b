import type { FastifyRequest } from 'fastify';
import { quoted } from '../../domain/calendar/cron/interval-field.ts';
import { PunctualError } from '../../domain/errors.ts';
import { isKeepable } from './json.ts';

/**
 * Query parameters. An operation takes those that it knows, each once unless it is a list. Any other is refused by its
 * name: a filter that is misspelt would answer what nobody asked for.
 */
type Values = Record<string, Array<string | null>>;

/** Each parameter with its values in order, null for one that is not UTF-8 in percent signs. */
export function parseQuery(text: string): Values {
  if (text === '') return NONE;
  const values: Values = Object.create(null);
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.split('=');
    // A name that cannot be read is no operation's: it is refused as it was sent.
    const key = decoded(name) ?? name;
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
 * Brings the parameters into the form that their schema judges: one value each, all values of a list. A text becomes a
 * number or a boolean if the schema wants one and the text is one.
 *
 * @throws PunctualError `request_invalid`
 */
export function readQuery(request: FastifyRequest): void {
  const given = request.query as Values;
  if (given === NONE) return;
  const schema = request.routeOptions.schema?.querystring as QuerySchema | undefined;
  const known = schema?.properties ?? {};
  refuseUnknown(Object.keys(given), Object.keys(known));
  const query: Record<string, string | number | boolean | string[]> = {};
  for (const [name, { type }] of Object.entries(known)) {
    const values = given[name];
    if (values !== undefined)
      query[name] = type === 'array' ? readable(name, values) : single(name, values, type);
  }
  request.query = query;
}

interface QuerySchema {
  properties: Record<string, { type?: string }>;
}

function refuseUnknown(given: string[], known: string[]): void {
  const unknown = given.filter(name => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, MOST_NAMED).map(name => quoted(name));
  const more = unknown.length > MOST_NAMED ? ' and others' : '';
  const instead = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
  throw refused(
    unknown.length === 1
      ? `This operation has no query parameter ${names[0]}. ${instead}`
      : `This operation has no query parameters ${names.join(', ')}${more}. ${instead}`,
  );
}

/** Of the caller's own names, as many are repeated. */
const MOST_NAMED = 5;

function single(
  name: string,
  values: Array<string | null>,
  type?: string,
): string | number | boolean {
  if (values.length > 1) throw refused(`The query parameter ${name} is there more than once.`);
  const value = readable(name, values)[0]!;
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return type === 'integer' && /^(?:0|[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
}

function readable(name: string, values: Array<string | null>): string[] {
  return values.map(value => {
    if (value !== null && isKeepable(value)) return value;
    throw refused(`The query parameter ${name} is not UTF-8 text without NUL.`);
  });
}

function refused(sentence: string): PunctualError {
  return new PunctualError('request_invalid', sentence);
}
