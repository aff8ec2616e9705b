import { MOST_DIGITS } from './plain-head.ts';

/**
 * Writes the head of an answer anew, as far as RFC 9112 lets a user agent read it.
 *
 * undici's parser refuses heads that targets send and that other clients read: folded lines, bare line feeds, a blank
 * before the colon, a length that stands there twice.
 */
export interface WrittenHead {
  head: Buffer;
  isChunked: boolean;
  /** Why nothing behind it may be read, as a part of a sentence. Then its body would last until the connection ends. */
  fault: string | null;
}

type Field = [name: string, value: string];

/**
 * @param text latin1, of a status line that `statusIn` knows up to the empty line
 * @param hasBody whether request and status let the answer have one
 */
export function writtenHead(text: string, hasBody: boolean): WrittenHead {
  // RFC 9112, 5.2: a fold is a blank. 2.2: folded lines before the first field mean nothing, as the reason does.
  const [first, ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const { fields, fault } = fieldsOf(lines.slice(0, lines.indexOf('')));
  const framing = framingOf(fields);
  const kept = fields.filter(([name]) => !/^(content-length|transfer-encoding)$/i.test(name));
  if (fault === null && framing.field !== null) kept.push(framing.field);
  const head = [`HTTP/1.1 ${statusIn(first!)} `, ...kept.map(field => field.join(': '))];
  return {
    head: Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    isChunked: fault === null && framing.isChunked,
    fault: hasBody ? (fault ?? framing.fault) : null,
  };
}

/** The status of a status line, its three digits. Null: it is no status line. */
export function statusIn(line: string): string | null {
  return /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})(?!\S)/.exec(line)?.[1] ?? null;
}

function fieldsOf(lines: string[]): { fields: Field[]; fault: string | null } {
  const fields: Field[] = [];
  let fault: string | null = null;
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name !== undefined) fields.push([name, cleaned(value!)]);
    else fault = 'one of its header lines has no name';
  }
  return { fields, fault };
}

/** RFC 9110, 5.5: control characters may be read as blanks. */
function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it means just these
  return text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim();
}

interface Framing {
  /** The field that says how the body ends. Null: it ends with the connection. */
  field: Field | null;
  isChunked: boolean;
  fault: string | null;
}

/** RFC 9112, 6.3: a transfer coding counts, whatever lengths stand beside it. */
function framingOf(fields: Field[]): Framing {
  const codings = listOf(fields, 'transfer-encoding')
    .map(coding => coding.toLowerCase())
    // RFC 2616 had it, and it means that there is none.
    .filter(coding => coding !== '' && coding !== 'identity');
  if (codings.length > 0) return encodedFraming(codings);
  const lengths = new Set(listOf(fields, 'content-length').map(lengthOf));
  const [length] = lengths;
  if (length === undefined) return UNTIL_CLOSE;
  if (length === null || lengths.size > 1)
    return { ...UNTIL_CLOSE, fault: 'its length is not clear' };
  return { ...UNTIL_CLOSE, field: ['Content-Length', String(length)] };
}

function encodedFraming(codings: string[]): Framing {
  const others = codings.filter(coding => coding !== 'chunked');
  const isChunked = codings.at(-1) === 'chunked';
  // One that is not the last is nothing that could be decoded.
  if (!isChunked && codings.includes('chunked')) return UNTIL_CLOSE;
  const value = [...others, ...(isChunked ? ['chunked'] : [])].join(', ');
  return { field: ['Transfer-Encoding', value], isChunked, fault: null };
}

function listOf(fields: Field[], name: string): string[] {
  return fields
    .filter(field => field[0].toLowerCase() === name)
    .flatMap(([, value]) => value.split(','))
    .map(value => value.trim());
}

function lengthOf(text: string): number | null {
  return /^\d+$/.test(text) && text.length <= MOST_DIGITS ? Number(text) : null;
}

const UNTIL_CLOSE: Framing = { field: null, isChunked: false, fault: null };
/** A blank before the colon is passed over. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:(.*)$/s;
