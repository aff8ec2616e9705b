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
/**
 * A truncated text may end with the beginning of a secret. Up to this many characters may match by
 * chance.
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

export function isSecretHeader(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * The texts that are not kept: what is secret in these headers, as text, as Latin-1 reads its bytes, and
 * as JSON writes it. Longest first, since one may be part of another.
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
    for (const part of secretParts(headers[at]!, value)) {
      const sent = Buffer.from(part, 'utf8').toString('latin1');
      secrets.add(part).add(sent).add(JSON.stringify(part).slice(1, -1));
    }
  }
  return [...secrets].sort((a, b) => b.length - a.length).slice(0, MOST_SECRETS);
}

/** Without the scheme in front of credentials, and of cookies each on its own: so they may be echoed. */
function secretParts(name: string, value: string): string[] {
  const parts =
    name.toLowerCase() === 'cookie'
      ? value.split(';').map(pair => pair.slice(pair.indexOf('=') + 1).trim())
      : [value.replace(/auth/i.test(name) ? ANY_SCHEME : USUAL_SCHEME, '')];
  const long = parts.filter(part => part.length >= SHORTEST_SECRET);
  if (long.length > 0) return long;
  return value.length >= SHORTEST_SECRET ? [value] : [];
}

export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) redacted = redacted.replaceAll(secret, REDACTED);
  return redacted;
}

/** The same for a text that may end in the middle of a secret. */
export function redactCut(text: string, secrets: readonly string[]): string {
  return secrets.reduce(redactEnd, redact(text, secrets));
}

function redactEnd(text: string, secret: string): string {
  const beginning = secret.slice(0, CHANCE + 1);
  let at = text.indexOf(beginning, Math.max(0, text.length - secret.length + 1));
  while (at !== -1 && !secret.startsWith(text.slice(at))) at = text.indexOf(beginning, at + 1);
  return at === -1 ? text : text.slice(0, at) + REDACTED;
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
