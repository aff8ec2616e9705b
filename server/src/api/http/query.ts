import type { FastifyRequest } from 'fastify';
import { quoted } from '../../domain/calendar/interval-field.ts';
import { PunctualError } from '../../domain/errors.ts';
import { isKeepable } from './json.ts';

/**
 * Query parameters. An operation takes those that it knows, each once; any other is refused by its name, since a
 * filter that is misspelt would answer what nobody asked for.
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
 * Brings the parameters into the form that their schema judges: one value each, and a number where the
 * schema wants one and the text is one.
 *
 * @throws PunctualError `request_invalid`
 */
export function readQuery(request: FastifyRequest): void {
  const given = request.query as Values;
  if (given === NONE) return;
  const schema = request.routeOptions.schema?.querystring as QuerySchema | undefined;
  const known = schema?.properties ?? {};
  refuseUnknown(Object.keys(given), Object.keys(known));
  const query: Record<string, string | number> = {};
  for (const [name, { type }] of Object.entries(known)) {
    const value = single(name, given[name]);
    if (value === undefined) continue;
    query[name] = type === 'integer' && /^(?:0|[1-9]\d{0,9})$/.test(value) ? Number(value) : value;
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
