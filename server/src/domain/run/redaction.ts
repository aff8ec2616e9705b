import { ALL_ESCAPES, offsetsOf, unescaped } from './escapes.ts';

/**
 * Decides which values of a request's headers are secrets, and keeps them out of stored answers:
 * many targets echo the request.
 *
 * A header is judged by its name, since a value does not show whether it is secret. Values of fewer
 * than eight characters are left in: they occur in many texts by chance.
 */

export const REDACTED = '[secret]';

/** No shorter than what takes its place, so that a text never grows. */
const SHORTEST_SECRET = REDACTED.length;
/** Of more, the longest: looking for each takes its time, and the sender has none to spare. */
const MOST_SECRETS = 64;
/** The same for the secrets of a destination: its headers may hold some hundred cookies. */
const MOST_GIVEN_SECRETS = 256;
/**
 * A text that its sender broke off may end with the beginning of a secret. Up to this many characters may match by chance.
 */
const CHANCE = 3;

const SECRET_NAME =
  /auth(?!or(?!i[sz]))|cookie|token|secret|pass(?:w|phrase|$)|pwd|credential|session|signature|jwt|api[-_]?key|(?<!idempotency[-_])key$/i;

/**
 * The scheme in front of credentials (RFC 9110, 11.4). In other headers the first word may be
 * secret.
 */
const ANY_SCHEME = /^\S+ +/;
const USUAL_SCHEME = /^(?:basic|bearer|token) +/i;
const QUOTED = /^".*"$/;

export function isSecretHeader(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * The texts that are not kept: what is secret in these headers, as text, and as Latin-1 reads its bytes. Longest first, since
 * one may be part of another.
 *
 * @param headers flat list, as it is sent: name, value, name, value; bytes of UTF-8 as characters
 * @param end how many entries of it to look at
 */
export function secretsIn(headers: readonly string[], end: number): readonly string[] {
  if (end === 0) return NONE;
  const secrets = new Set<string>();
  for (let at = 0; at < end; at += 2) {
    if (!isSecretHeader(headers[at]!)) continue;
    const value = Buffer.from(headers[at + 1]!, 'latin1').toString('utf8');
    for (const part of secretParts(headers[at]!, value)) secrets.add(part);
  }
  return secrets.size === 0 ? NONE : longest(secrets, MOST_SECRETS);
}

/** The same of headers as a schedule has them. */
export function secretsAmong(headers: Record<string, string> = {}): readonly string[] {
  const secret = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return longest(
    new Set(secret.flatMap(([name, value]) => secretParts(name, value))),
    MOST_SECRETS,
  );
}

/**
 * The texts of a header that is secret whatever its name: its value, and the parts of it that a target may tell alone. These
 * stand behind a scheme, or are cookies.
 */
export function secretsOfHeader(name: string, value: string): string[] {
  const trimmed = value.trim();
  return [value, trimmed, trimmed.replace(ANY_SCHEME, ''), ...secretParts(name, trimmed)];
}

/** The same for secrets that stand apart from the headers. Shorter ones than eight characters are left out. */
export function secretTexts(values: Iterable<string>): readonly string[] {
  const secrets = new Set<string>();
  for (const value of values) if (value.length >= SHORTEST_SECRET) secrets.add(value);
  return longest(secrets, MOST_GIVEN_SECRETS);
}

/** The longest of these, also as Latin-1 reads their bytes. */
function longest(secrets: Set<string>, most: number): string[] {
  const texts = longestFirst(secrets).slice(0, most);
  return longestFirst(new Set([...texts, ...texts.map(asBytes)]));
}

function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The secrets of both lists, the longest first. Each list has its bound, so none pushes out those of the other. */
export function allSecrets(
  some: readonly string[] = NONE,
  others: readonly string[] = NONE,
): readonly string[] {
  if (some.length === 0) return others;
  if (others.length === 0) return some;
  return [...some, ...others].sort((a, b) => b.length - a.length);
}

function longestFirst(texts: Set<string>): string[] {
  return [...texts].sort((a, b) => b.length - a.length);
}

/** Without the scheme in front of credentials, and of cookies each on its own: so they may be echoed. */
function secretParts(name: string, value: string): string[] {
  // A receiver takes the white space around a value away.
  const trimmed = value.trim();
  const parts =
    name.toLowerCase() === 'cookie'
      ? trimmed.split(';').map(cookieValue)
      : [trimmed.replace(/auth/i.test(name) ? ANY_SCHEME : USUAL_SCHEME, '')];
  const long = parts.filter(part => part.length >= SHORTEST_SECRET);
  if (long.length > 0) return long;
  return trimmed.length >= SHORTEST_SECRET ? [trimmed] : [];
}

/** Without the quotes that it may stand in (RFC 6265, 4.1.1). */
function cookieValue(pair: string): string {
  const value = pair.slice(pair.indexOf('=') + 1).trim();
  return QUOTED.test(value) ? value.slice(1, -1) : value;
}

/** The text without the secrets, as they are and however they are escaped. */
export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  return withoutPlaces(text, placesIn(text, secrets));
}

/**
 * The same for a text that may end in the middle of a secret.
 *
 * @param length how much of the text is wanted. If it goes on for a few characters, no secret is cut in two.
 */
export function redactCut(
  text: string,
  secrets: readonly string[],
  length: number = text.length,
): string {
  if (secrets.length === 0) return text.slice(0, length);
  return withoutPlaces(text, [...placesIn(text, secrets), ...endsIn(text, secrets)], length);
}

/** A part of a text. */
type Place = readonly [from: number, to: number];

/** The places of secrets in a text. They may overlap. */
function placesIn(text: string, secrets: readonly string[]): Place[] {
  return inReadings(text, reading => {
    const found = secrets.filter(secret => reading.includes(secret));
    return found.flatMap(secret => placesOf(secret, reading));
  });
}

function placesOf(secret: string, text: string): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    places.push([at, at + secret.length]);
  }
  return places;
}

/** The ends of a text that are the beginning of a secret. */
function endsIn(text: string, secrets: readonly string[]): Place[] {
  return inReadings(text, reading =>
    secrets
      .map(secret => beginningOf(secret, reading))
      .filter(at => at !== -1)
      .map((at): Place => [at, reading.length]),
  );
}

function beginningOf(secret: string, text: string): number {
  const beginning = secret.slice(0, CHANCE + 1);
  let at = text.indexOf(beginning, Math.max(0, text.length - secret.length + 1));
  while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(beginning, at + 1);
  return at;
}

/** The places that are found in a text as it is, and as it reads without its escapes. */
function inReadings(text: string, find: (reading: string) => Place[]): Place[] {
  const places = find(text);
  for (const escapes of ALL_ESCAPES) {
    const reading = unescaped(text, escapes);
    const found = reading === text ? [] : find(reading);
    if (found.length === 0) continue;
    const offsets = offsetsOf(text, escapes);
    places.push(...found.map(([from, to]): Place => [offsets[from]!, offsets[to]!]));
  }
  return places;
}

/** @param length beyond which nothing of the text is wanted */
function withoutPlaces(text: string, places: Place[], length: number = text.length): string {
  let redacted = '';
  let end = 0;
  for (const [from, to] of places.sort(([a], [b]) => a - b)) {
    if (from >= length) break;
    if (from >= end) redacted += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return redacted + text.slice(end, length);
}

/**
 * A value of `Set-Cookie`: name and attributes stay, and so does an empty value, which deletes it. A
 * cookie without "=" is all value (RFC 6265, 5.2).
 */
export function redactCookie(cookie: string): string {
  const [pair, ...attributes] = cookie.split(';') as [string, ...string[]];
  const name = pair.slice(0, pair.indexOf('=') + 1);
  return [pair === name ? pair : name + REDACTED, ...attributes].join(';');
}

const NONE: readonly string[] = [];
