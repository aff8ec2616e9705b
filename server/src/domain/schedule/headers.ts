import { PunctualError } from '../errors.ts';

/**
 * Refuses headers that could not be sent as they are written, or that belong to the connection or
 * to the service.
 *
 * Stricter than RFC 9110 in one thing: of the control characters only the tab passes, since Node
 * sends no other.
 *
 * @throws PunctualError `headers_invalid`; a value never stands in the sentence
 */
export function checkHeaders(headers: Record<string, string>): void {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) fail(`at most ${MAX_HEADERS} headers are allowed.`);
  const seen = new Set<string>();
  let bytes = 0;
  for (const name of names) {
    const value = headers[name]!;
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) fail(`${quoted(name)} is not a valid header name.`, name);
    if (seen.has(lower)) fail(`${quoted(name)} is there twice, in different case.`);
    if (isReserved(lower)) {
      fail(`${quoted(name)} is set by the connection or by the service itself.`);
    }
    if (FORBIDDEN_IN_VALUE.test(value) || !value.isWellFormed()) {
      fail(
        `the value of ${quoted(name)} must be well-formed text without control characters.`,
        value,
      );
    }
    seen.add(lower);
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (bytes > MAX_BYTES) fail('names and values together are at most 16 KiB.');
}

function isReserved(lower: string): boolean {
  return RESERVED.has(lower) || RESERVED_PREFIXES.some(prefix => lower.startsWith(prefix));
}

function fail(sentence: string, refused = ''): never {
  throw new PunctualError('headers_invalid', `headers: ${sentence}`, { refused });
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64).toWellFormed()}…` : name);
}

const MAX_HEADERS = 50;
const MAX_BYTES = 16 * 1024;
/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const FORBIDDEN_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);
const RESERVED_PREFIXES = ['proxy-', 'webhook-', 'punctual-'];
