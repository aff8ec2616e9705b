import { MORE_THAN_ONE, sameFor, takeUrl } from './curl.ts';
import { type Options, readOptions } from './options.ts';
import {
  basicAuth,
  fieldsFrom,
  newReading,
  type Reading,
  type RequestResult,
} from './request-fields.ts';
import { commandWords } from './shell-words.ts';

/** A wget command as the fields of a schedule (https://www.gnu.org/software/wget/manual/). Never throws. */
export function readWget(command: string): RequestResult {
  const words = commandWords(command);
  if (words === null) return { problem: MORE_THAN_ONE };
  if (words[0] !== 'wget') return { problem: 'It does not begin with wget.' };
  const state: WgetReading = { ...newReading(), user: null, password: '' };
  const problem = readOptions(words.slice(1), OPTIONS, state);
  if (problem !== null) return { problem };
  if (state.user !== null) {
    state.headers.push(['Authorization', basicAuth(`${state.user}:${state.password}`)]);
  }
  return fieldsFrom(state);
}

interface WgetReading extends Reading {
  user: string | null;
  password: string;
}

/** Options with a value that changes nothing about what is sent. */
const IGNORED = [
  '-O',
  '--output-document',
  '-o',
  '--output-file',
  '-a',
  '-T',
  '--timeout',
  '-t',
  '--tries',
  '-P',
];

const OPTIONS: Options<WgetReading> = {
  withValue: {
    ...sameFor(IGNORED, () => {}),
    '--method': (value, reading) => {
      reading.verb = value;
    },
    '--header': (value, { headers, notes }) => {
      const [, name, text] = /^([^:]+):\s*(.*)$/.exec(value) ?? [];
      if (name === undefined) notes.push(`The header ${value} has no value and is left out.`);
      else headers.push([name, text!]);
    },
    ...sameFor(['-U', '--user-agent'], (value: string, { headers }: WgetReading) => {
      headers.push(['User-Agent', value]);
    }),
    '--referer': (value, { headers }) => headers.push(['Referer', value]),
    ...sameFor(['--post-data', '--body-data'], (value: string, reading: WgetReading) => {
      reading.data.push(value);
    }),
    ...sameFor(['--post-file', '--body-file'], (_value: string, { notes }: WgetReading) => {
      notes.push('Data read from a file is left out.');
    }),
    ...sameFor(['--user', '--http-user'], (value: string, reading: WgetReading) => {
      reading.user = value;
    }),
    ...sameFor(['--password', '--http-password'], (value: string, reading: WgetReading) => {
      reading.password = value;
    }),
  },
  switches: {
    '--spider': reading => {
      reading.verb = 'HEAD';
    },
    '--no-check-certificate': ({ notes }) =>
      notes.push('Certificates are always checked; --no-check-certificate is left out.'),
  },
  word: takeUrl,
};
