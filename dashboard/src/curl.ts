import type { Verb } from '@punctual/client';
import { shellWords } from './shell-words.ts';

/**
 * A cURL command as the fields of a schedule. Here is what curl's options mean, of those that a
 * schedule has a place for; the quoting is the shell's (shell-words.ts).
 */
export interface CurlFields {
  url: string;
  verb: Verb;
  headers: Record<string, string>;
  data: Record<string, string>;
  /** The parts of the command that a schedule cannot express, in sentences. */
  notes: string[];
}

export type CurlResult = { fields: CurlFields } | { problem: string };

const VERBS = new Set<string>(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']);
/** Options with a value that changes nothing about what is sent. */
const IGNORED_WITH_VALUE = new Set([
  '-o',
  '--output',
  '-m',
  '--max-time',
  '--connect-timeout',
  '--retry',
  '-w',
  '--write-out',
  '--retry-delay',
  '-c',
  '--cookie-jar',
  '-D',
  '--dump-header',
]);
const DATA = new Set(['-d', '--data', '--data-raw', '--data-ascii', '--data-binary', '--json']);
const FORM_TYPE = 'application/x-www-form-urlencoded';

interface Reading {
  url: string | null;
  verb: string | null;
  headers: [string, string][];
  data: string[];
  isJson: boolean;
  isGet: boolean;
  notes: string[];
}

/** Never throws: what cannot be read is a sentence. */
export function readCurl(command: string): CurlResult {
  const words = wordsOf(command);
  if (words === null)
    return { problem: 'It uses more of the shell than one command: variables, pipes or files.' };
  if (words[0] !== 'curl') return { problem: 'It does not begin with curl.' };
  const reading: Reading = {
    url: null,
    verb: null,
    headers: [],
    data: [],
    isJson: false,
    isGet: false,
    notes: [],
  };
  const problem = readWords(words.slice(1), reading);
  if (problem !== null) return { problem };
  return fieldsFrom(reading);
}

function wordsOf(command: string): string[] | null {
  return shellWords(command.trim().replace(/^\$\s+/, ''));
}

function readWords(words: string[], reading: Reading): string | null {
  const left = words.flatMap(splitWord);
  while (left.length > 0) {
    const word = left.shift()!;
    if (!word.startsWith('-') || word === '-') {
      if (reading.url !== null) reading.notes.push(`Only the first url is taken, not ${word}.`);
      else reading.url = word;
      continue;
    }
    if (!needsValue(word)) {
      readSwitch(word, reading);
      continue;
    }
    const value = left.shift();
    if (value === undefined) return `The option ${word} has no value.`;
    readOption(word, value, reading);
  }
  return null;
}

/** `-XPOST`, `--request=POST` and `-sSL` as single words. */
function splitWord(word: string): string[] {
  const long = /^(--[\w-]+)=([\s\S]*)$/.exec(word);
  if (long) return [long[1]!, long[2]!];
  if (!/^-[A-Za-z]./.test(word)) return [word];
  const short = word.slice(0, 2);
  if (needsValue(short)) return [short, word.slice(2)];
  return [short, ...splitWord(`-${word.slice(2)}`)];
}

function needsValue(option: string): boolean {
  return DATA.has(option) || IGNORED_WITH_VALUE.has(option) || option in MEANINGS;
}

const MEANINGS: Record<string, (value: string, reading: Reading) => void> = {
  '-X': readVerb,
  '--request': readVerb,
  '-H': readHeader,
  '--header': readHeader,
  '-A': (value, { headers }) => headers.push(['User-Agent', value]),
  '--user-agent': (value, { headers }) => headers.push(['User-Agent', value]),
  '-e': (value, { headers }) => headers.push(['Referer', value]),
  '--referer': (value, { headers }) => headers.push(['Referer', value]),
  '-b': (value, { headers }) => headers.push(['Cookie', value]),
  '--cookie': (value, { headers }) => headers.push(['Cookie', value]),
  '-u': readUser,
  '--user': readUser,
  '--url': (value, reading) => {
    reading.url = value;
  },
  '--data-urlencode': (value, { data }) => {
    const [name = '', ...rest] = value.split('=');
    data.push(`${encodeURIComponent(name)}=${encodeURIComponent(rest.join('='))}`);
  },
  '-F': (_value, { notes }) =>
    notes.push('A multipart form cannot be sent; its fields are left out.'),
  '--form': (_value, { notes }) =>
    notes.push('A multipart form cannot be sent; its fields are left out.'),
};

function readVerb(value: string, reading: Reading): void {
  reading.verb = value.toUpperCase();
}

function readHeader(value: string, { headers, notes }: Reading): void {
  const colon = value.indexOf(':');
  if (colon > 0) headers.push([value.slice(0, colon).trim(), value.slice(colon + 1).trim()]);
  else notes.push(`The header ${value} has no value and is left out.`);
}

function readUser(value: string, { headers }: Reading): void {
  const bytes = new TextEncoder().encode(value);
  headers.push(['Authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`]);
}

function readOption(option: string, value: string, reading: Reading): void {
  if (DATA.has(option)) {
    if (option === '--json') reading.isJson = true;
    reading.data.push(value);
    return;
  }
  MEANINGS[option]?.(value, reading);
}

function readSwitch(option: string, reading: Reading): void {
  if (option === '-G' || option === '--get') reading.isGet = true;
  else if (option === '-I' || option === '--head') reading.verb = 'HEAD';
  else if (option === '-k' || option === '--insecure') {
    reading.notes.push('Certificates are always checked; -k is left out.');
  } else if (option === '-L' || option === '--location') {
    reading.notes.push('Redirects are not followed; -L is left out.');
  }
}

function fieldsFrom(reading: Reading): CurlResult {
  const { url, notes, isGet, isJson } = reading;
  if (url === null) return { problem: 'It has no url.' };
  const hasData = reading.data.length > 0;
  const verb = reading.verb ?? (hasData && !isGet ? 'POST' : 'GET');
  if (!VERBS.has(verb)) return { problem: `The verb ${verb} cannot be used.` };
  const headers = headersFrom(reading);
  const data = hasData ? dataFrom(reading, headers) : {};
  if (isJson && !hasName(headers, 'accept')) headers.Accept = 'application/json';
  return { fields: { url: withScheme(url), verb: verb as Verb, headers, data, notes } };
}

function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `http://${url}`;
}

/** curl sends one of these by itself; the service has its own. */
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

/** An object of strings: from JSON, or from a form, which then is said to be one. */
function dataFrom(reading: Reading, headers: Record<string, string>): Record<string, string> {
  const { notes } = reading;
  const text = reading.data.join('&');
  if (text.startsWith('@')) {
    notes.push('Data read from a file is left out.');
    return {};
  }
  const json = objectFrom(text);
  if (json !== null) return strings(json, notes);
  const isForm = !reading.isJson && !hasJsonType(headers) && text.includes('=');
  if (!isForm) {
    notes.push('The body is no JSON object and no form, and is left out.');
    return {};
  }
  if (!hasName(headers, 'content-type') && !reading.isGet) headers['Content-Type'] = FORM_TYPE;
  return Object.fromEntries(new URLSearchParams(text));
}

function hasJsonType(headers: Record<string, string>): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value.includes('json'),
  );
}

function objectFrom(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function strings(json: Record<string, unknown>, notes: string[]): Record<string, string> {
  const changed: string[] = [];
  const data = Object.fromEntries(
    Object.entries(json).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      changed.push(name);
      return [name, JSON.stringify(value)];
    }),
  );
  if (changed.length > 0)
    notes.push(`The payload holds texts only: ${changed.join(', ')} became text.`);
  return data;
}
