import type { Destination, Problem } from '@punctual/client';
import { numberProblem } from '../inputs/field-problems.ts';
import { nameProblems } from '../named/named-resource.ts';
import {
  type AuthKind,
  type DestinationDraft,
  destinationDraftOf,
  hostsOf,
  isKept,
  namedPairs,
  type SecretField,
} from './destination-draft.ts';

/** The mistakes in the form of a destination: those that it finds, and those that the service tells. */

/**
 * The change of where or how secrets go, as the beginning of a sentence; null where there is none. After one the service
 * wants to be sent each secret again, so that nobody who may write can lead one elsewhere.
 */
function movedBy(draft: DestinationDraft, stored: Destination): string | null {
  const before = destinationDraftOf(stored);
  if (!isSameSet(hostsOf(before), hostsOf(draft))) return 'The hosts have changed';
  if (before.allowHttp !== draft.allowHttp) return 'The rule for http has changed';
  if (before.ca.trim() !== draft.ca.trim()) return 'The authorities have changed';
  if (draft.auth === 'none') return null;
  if (before.auth !== draft.auth) return 'The sign-in has changed';
  const isOtherToken = draft.auth === 'oauth2' && before.tokenUrl !== draft.tokenUrl.trim();
  return isOtherToken ? 'The token url has changed' : null;
}

function isSameSet(some: string[], others: string[]): boolean {
  const [one, other] = [some, others].map(
    hosts => new Set(hosts.map(host => host.toLowerCase())),
  ) as [Set<string>, Set<string>];
  return one.size === other.size && one.isSubsetOf(other);
}

/** @param taken names that a new destination cannot have: it would replace another one */
export function destinationProblems(
  draft: DestinationDraft,
  stored: Destination | null,
  taken: string[] = [],
): Problem[] {
  return [
    ...nameProblems('destination', draft.name, taken),
    ...hostProblems(hostsOf(draft)),
    ...authProblems(draft),
    ...headerProblems(draft),
    ...secretProblems(draft, stored),
    ...limitProblems(draft),
  ];
}

const MOST_HOSTS = 20;

function hostProblems(hosts: string[]): Problem[] {
  const where = 'hosts';
  if (hosts.length === 0) return [{ where, sentence: 'Name at least one host.' }];
  if (hosts.length > MOST_HOSTS) return [{ where, sentence: `At most ${MOST_HOSTS} hosts.` }];
  const url = hosts.find(host => host.includes('/'));
  return url === undefined
    ? []
    : [{ where, sentence: `${url} is a url. A host is only its name, such as api.example.com.` }];
}

function authProblems({ auth, username, tokenUrl, clientId, audience }: DestinationDraft) {
  const needed: Record<AuthKind, [where: string, text: string, sentence: string][]> = {
    none: [],
    basic: [['username', username, 'The user name is missing.']],
    bearer: [],
    headers: [],
    oauth2: [
      ['tokenUrl', tokenUrl, 'The token url is missing.'],
      ['clientId', clientId, 'The client id is missing.'],
    ],
    oidc: [['audience', audience, 'The audience is missing.']],
  };
  return needed[auth]
    .filter(([, text]) => text.trim() === '')
    .map(([where, , sentence]) => ({ where, sentence }));
}

const MOST_HEADERS = 10;

function headerProblems({ auth, headers }: DestinationDraft): Problem[] {
  if (auth !== 'headers') return [];
  const seen = new Set<string>();
  const each = headers.flatMap(([name, value], index): Problem[] => {
    const where = `headers[${index}]`;
    const folded = name.trim().toLowerCase();
    if (folded === '') return value === '' ? [] : [{ where, sentence: 'This value has no name.' }];
    if (value === '') return [{ where, sentence: 'The value is missing.' }];
    if (seen.has(folded)) return [{ where, sentence: `${name.trim()} is there already.` }];
    seen.add(folded);
    return [];
  });
  if (namedPairs(headers).length <= MOST_HEADERS) return each;
  return [...each, { where: 'headers', sentence: `At most ${MOST_HEADERS} headers.` }];
}

const SECRET_OF: Record<AuthKind, SecretField | null> = {
  none: null,
  basic: 'password',
  bearer: 'token',
  headers: 'headers',
  oauth2: 'clientSecret',
  oidc: null,
};

const SECRET_NAMES: Record<SecretField, string> = {
  password: 'the password',
  token: 'the token',
  headers: 'the headers',
  clientSecret: 'the client secret',
  key: 'the key',
};

function secretProblems(draft: DestinationDraft, stored: Destination | null): Problem[] {
  const ofAuth = SECRET_OF[draft.auth];
  const needed: SecretField[] = [
    ...(ofAuth === null ? [] : [ofAuth]),
    ...(draft.certificate.trim() === '' ? [] : ['key' as const]),
  ];
  const moved = stored && movedBy(draft, stored);
  return needed
    .filter(field => isEmpty(draft, field))
    .flatMap(where => {
      const name = SECRET_NAMES[where];
      if (!isKept(draft, stored, where)) return [{ where, sentence: `Give ${name}.` }];
      return moved === null ? [] : [{ where, sentence: `${moved}: give ${name} again.` }];
    });
}

function isEmpty(draft: DestinationDraft, field: SecretField): boolean {
  if (field === 'headers') return namedPairs(draft.headers).length === 0;
  return draft[field].trim() === '';
}

function limitProblems({ maxConcurrent, perSecond }: DestinationDraft): Problem[] {
  const bounds = { subject: 'Requests at a time', from: 1, to: 10_000 };
  const rate = Number(perSecond);
  const isRate = perSecond.trim() === '' || (rate >= 0.01 && rate <= 10_000);
  const sentence = 'Requests a second must be a number from 0.01 to 10,000.';
  return [
    ...numberProblem('maxConcurrent', maxConcurrent, bounds),
    ...(isRate ? [] : [{ where: 'perSecond', sentence }]),
  ];
}

/** The fields that a sentence of the service begins with, such as `auth.token and tls.key must be sent again`. */
const NAMED = /^[a-zA-Z]+(?:\.[a-zA-Z]+|\[\d+\])*(?: and [a-z]+\.[a-zA-Z]+)*/;
const FIELDS = new Set(['hosts', 'allowHttp', 'auth', 'tls', 'limits']);

/** A refusal of the service at the fields that it names; empty where it names none of the form. */
export function problemsNamedIn(sentence: string): Problem[] {
  const named = NAMED.exec(sentence)?.[0].split(' and ') ?? [];
  return named
    .map(field => field.replace(/\[\d+\]/, '').split('.'))
    .filter(([first]) => FIELDS.has(first!))
    .map(([first, second]) => ({ where: placeOf(first!, second), sentence }));
}

function placeOf(first: string, second: string | undefined): string {
  if (first === 'tls') return second ?? 'certificate';
  return second === undefined || second === 'type' ? first : second;
}
