import { once } from 'node:events';
import zlib from 'node:zlib';
import type { AnswerHeaders } from './answer.ts';

/** The codings of a body (RFC 9110, 8.4): they are undone before anybody reads it, whether they were asked for or not. */

/** @returns in the order in which they were applied; empty where the body is as it is */
export function codingsOf({ 'content-encoding': field }: AnswerHeaders): readonly string[] {
  if (field === undefined) return AS_IT_IS;
  const codings = [field].flat().join(',').toLowerCase().split(',');
  return codings.map(coding => coding.trim()).filter(coding => !NONE.has(coding));
}

/**
 * Undoes codings, as far as the bytes go: the end of the body may be missing. It takes bounded memory, and does its work
 * beside the event loop.
 *
 * @param most bytes that are wanted: what a bomb has beyond them is never made
 * @returns the start of the body; null: the bytes are not in these codings
 */
export async function withoutCodings(
  bytes: Buffer,
  codings: readonly string[],
  most: number,
): Promise<Buffer | null> {
  if (codings.length > MOST_CODINGS) return null;
  let body: Buffer | null = bytes;
  for (const coding of codings.toReversed()) {
    if (body === null || !Object.hasOwn(OPENERS, coding)) return null;
    body = await opened(OPENERS[coding]!(body), body, most);
  }
  return body;
}

/** @returns null where an error came before the first byte */
async function opened(opener: Opener, bytes: Buffer, most: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  opener.on('data', (part: Buffer) => {
    parts.push(part);
    length += part.length;
    if (length >= most) opener.destroy();
  });
  opener.on('error', () => {});
  opener.end(bytes);
  await once(opener, 'close').catch(() => {});
  const isEmpty = length === 0 && opener.errored !== null;
  return isEmpty ? null : Buffer.concat(parts, length).subarray(0, most);
}

type Opener = zlib.Gunzip | zlib.Inflate | zlib.InflateRaw | zlib.BrotliDecompress;

const {
  Z_SYNC_FLUSH,
  BROTLI_OPERATION_FLUSH,
  BROTLI_DECODER_PARAM_LARGE_WINDOW,
  ZSTD_e_continue,
  ZSTD_d_windowLogMax,
} = zlib.constants;
const SYNC = { finishFlush: Z_SYNC_FLUSH };

/** With the flush at the end that takes a body which breaks off. */
const OPENERS: Record<string, (bytes: Buffer) => Opener> = {
  gzip: () => zlib.createGunzip(SYNC),
  'x-gzip': () => zlib.createGunzip(SYNC),
  // Some targets leave the wrapper out (RFC 9110, 8.4.1.2).
  deflate: bytes => (isWrapped(bytes) ? zlib.createInflate(SYNC) : zlib.createInflateRaw(SYNC)),
  br: () =>
    zlib.createBrotliDecompress({
      finishFlush: BROTLI_OPERATION_FLUSH,
      params: { [BROTLI_DECODER_PARAM_LARGE_WINDOW]: 0 },
    }),
  // RFC 8878, 3.1.1.1.2: windows of 8 MB are to be expected.
  zstd: () =>
    zlib.createZstdDecompress({
      finishFlush: ZSTD_e_continue,
      params: { [ZSTD_d_windowLogMax]: 23 },
    }),
};

/** RFC 1950, 2.2: a method, and a check of the first two bytes. */
function isWrapped(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Most answers have none, and make no list for it. */
const AS_IT_IS: readonly string[] = [];
const NONE = new Set(['', 'identity']);
/** Each costs a pass. */
const MOST_CODINGS = 3;
