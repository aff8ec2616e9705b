import type { Verb } from '@punctual/client';

/** A request that somebody pasted, as the fields of a schedule. All forms that can be pasted come together here. */
export interface RequestFields {
  url: string;
  verb: Verb;
  headers: Record<string, string>;
  data: Record<string, string>;
  /** Raw, instead of `data`: whatever is no object of texts and no form. */
  body?: string;
  /** The parts that a schedule cannot express, in sentences. */
  notes: string[];
}

export type RequestResult = { fields: RequestFields } | { problem: string };

/** A request as its form says it. */
export interface Reading {
  url: string | null;
  verb: string | null;
  headers: [string, string][];
  /** Parts of the body, which come together as those of a form. */
  data: string[];
  isJson: boolean;
  /** The data is a query. */
  isGet: boolean;
  /** Without a Content-Type, this form sends its body as a form. */
  isFormByDefault: boolean;
  notes: string[];
}

const VERBS = new Set<string>(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);
const FORM_TYPE = 'application/x-www-form-urlencoded';

export function newReading(given: Partial<Reading> = {}): Reading {
  return {
    url: null,
    verb: null,
    headers: [],
    data: [],
    isJson: false,
    isGet: false,
    isFormByDefault: true,
    notes: [],
    ...given,
  };
}

export function fieldsFrom(reading: Reading): RequestResult {
  const { url, notes, isGet, isJson } = reading;
  if (url === null) return { problem: 'It has no url.' };
  const hasData = reading.data.length > 0;
  const verb = (reading.verb ?? (hasData && !isGet ? 'POST' : 'GET')).toUpperCase();
  if (!VERBS.has(verb)) return { problem: `The verb ${verb} cannot be used.` };
  const headers = headersFrom(reading);
  const payload = hasData ? payloadFrom(reading, verb as Verb, headers) : { data: {} };
  if (isJson && !hasName(headers, 'accept')) headers.Accept = 'application/json';
  return { fields: { url: withScheme(url), verb: verb as Verb, headers, ...payload, notes } };
}

/** The value of the header `Authorization` for a user and a password, `user:password`. */
export function basicAuth(userAndPassword: string): string {
  const bytes = new TextEncoder().encode(userAndPassword);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
}

/** Others send some of these by themselves; the service has its own. */
function headersFrom({ headers: pairs, notes }: Reading): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairs) {
    if (/^(host|content-length|connection)$/i.test(name)) {
      notes.push(`The header ${name} is set by the service and is left out.`);
    } else {
      const known = Object.keys(headers).find(each => each.toLowerCase() === name.toLowerCase());
      headers[known ?? name] = value;
    }
  }
  return headers;
}

function hasName(headers: Record<string, string>, name: string): boolean {
  return Object.keys(headers).some(each => each.toLowerCase() === name);
}

type Payload = Pick<RequestFields, 'data' | 'body'>;

/** An object of texts, from JSON or from a form; anything else as it was typed, where the verb has a body. */
function payloadFrom(reading: Reading, verb: Verb, headers: Record<string, string>): Payload {
  const { notes, isJson, isGet, isFormByDefault } = reading;
  const text = reading.data.join('&');
  const json = objectFrom(text);
  if (json !== null && isOfTexts(json)) return { data: json };
  const mayBeForm = isFormByDefault || hasType(headers, FORM_TYPE);
  const isForm = mayBeForm && json === null && !isJson && !hasType(headers, 'json');
  const isFields = isForm && text.includes('=') && (isGet || isPlainForm(text));
  if (!isFields && !WITH_BODY.has(verb)) {
    notes.push(`The body is left out: a ${verb} request has none.`);
    return { data: {} };
  }
  // The service sends JSON as JSON.
  const isNamed = hasName(headers, 'content-type') || isJson || jsonFrom(text) !== undefined;
  if (!isNamed && !isGet && isFormByDefault) headers['Content-Type'] = FORM_TYPE;
  return isFields
    ? { data: Object.fromEntries(new URLSearchParams(text)) }
    : { data: {}, body: text };
}

const WITH_BODY = new Set<string>(['POST', 'PUT', 'PATCH', 'OPTIONS']);

/** Each field has a name, and comes once: an object holds no second one. */
function isPlainForm(text: string): boolean {
  const names = [...new URLSearchParams(text).keys()];
  return !names.includes('') && new Set(names).size === names.length;
}

function hasType(headers: Record<string, string>, type: string): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.includes(type),
  );
}

function objectFrom(text: string): Record<string, unknown> | null {
  const value = jsonFrom(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : null;
}

/** @returns undefined if it is no JSON */
function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOfTexts(json: Record<string, unknown>): json is Record<string, string> {
  return Object.values(json).every(value => typeof value === 'string');
}
