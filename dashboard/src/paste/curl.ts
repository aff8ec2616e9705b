import { type Options, readOptions } from './options.ts';
import {
  basicAuth,
  fieldsFrom,
  newReading,
  type Reading,
  type RequestResult,
} from './request-fields.ts';
import { commandWords } from './shell-words.ts';

/**
 * A cURL command as the fields of a schedule. Here is what curl's options mean, of those that a
 * schedule has a place for; the quoting is the shell's (shell-words.ts).
 *
 * Never throws: what cannot be read is a sentence.
 */
export function readCurl(command: string): RequestResult {
  const words = commandWords(command);
  if (words === null) return { problem: MORE_THAN_ONE };
  if (words[0] !== 'curl') return { problem: 'It does not begin with curl.' };
  const reading = newReading();
  const problem = readOptions(words.slice(1), OPTIONS, reading);
  return problem === null ? fieldsFrom(reading) : { problem };
}

export const MORE_THAN_ONE =
  'It uses more of the shell than one command: variables, pipes or files.';

/** Options with a value that changes nothing about what is sent. */
const IGNORED = [
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
];

const OPTIONS: Options<Reading> = {
  withValue: {
    ...sameFor(IGNORED, () => {}),
    ...sameFor(['-d', '--data', '--data-ascii', '--data-binary'], readData),
    '--data-raw': (value, { data }) => data.push(value),
    '--json': (value, reading) => {
      reading.isJson = true;
      readData(value, reading);
    },
    ...sameFor(['-X', '--request'], (value, reading) => {
      reading.verb = value.toUpperCase();
    }),
    ...sameFor(['-H', '--header'], readHeader),
    ...sameFor(['-A', '--user-agent'], headerNamed('User-Agent')),
    ...sameFor(['-e', '--referer'], headerNamed('Referer')),
    ...sameFor(['-b', '--cookie'], headerNamed('Cookie')),
    ...sameFor(['-u', '--user'], (value, { headers }) => {
      headers.push(['Authorization', basicAuth(value)]);
    }),
    '--oauth2-bearer': (value, { headers }) => headers.push(['Authorization', `Bearer ${value}`]),
    '--url': (value, reading) => {
      reading.url = value;
    },
    '--data-urlencode': readUrlencoded,
    ...sameFor(['-F', '--form'], (_value, { notes }) =>
      notes.push('A multipart form cannot be sent; its fields are left out.'),
    ),
  },
  switches: {
    ...sameFor(['-G', '--get'], reading => {
      reading.isGet = true;
    }),
    ...sameFor(['-I', '--head'], reading => {
      reading.verb = 'HEAD';
    }),
    ...sameFor(['-k', '--insecure'], ({ notes }) =>
      notes.push('Certificates are always checked; -k is left out.'),
    ),
    ...sameFor(['-L', '--location'], ({ notes }) =>
      notes.push('Redirects are not followed; -L is left out.'),
    ),
  },
  word: takeUrl,
};

function readData(value: string, { data, notes }: Reading): void {
  if (value.startsWith('@')) notes.push(FROM_FILE);
  else data.push(value);
}

const FROM_FILE = 'Data read from a file is left out.';

/** `name=text`, `=text` or `text`: curl encodes the text, and takes the name as it is. `name@file` names a file. */
function readUrlencoded(value: string, { data, notes }: Reading): void {
  const [, name = '', text = value] = /^([^=]*)=([\s\S]*)$/.exec(value) ?? [];
  if (text === value && value.includes('@')) notes.push(FROM_FILE);
  else data.push(`${name && `${name}=`}${encodeURIComponent(text)}`);
}

/** `Name;` is curl's form of an empty header. */
function readHeader(value: string, { headers, notes }: Reading): void {
  const [, name, text] = /^([^:]+):([\s\S]*)$/.exec(value) ?? /^([^:;]+);()$/.exec(value) ?? [];
  if (name !== undefined) headers.push([name.trim(), text!.trim()]);
  else notes.push(`The header ${value} has no value and is left out.`);
}

function headerNamed(name: string): (value: string, reading: Reading) => void {
  return (value, { headers }) => headers.push([name, value]);
}

/** The first word that is no option is the url. */
export function takeUrl(word: string, reading: Reading): void {
  if (reading.url === null) reading.url = word;
  else reading.notes.push(`Only the first url is taken, not ${word}.`);
}

export function sameFor<Meaning>(options: string[], meaning: Meaning): Record<string, Meaning> {
  return Object.fromEntries(options.map(option => [option, meaning]));
}
