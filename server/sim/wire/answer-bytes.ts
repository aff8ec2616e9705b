import { gzipSync } from 'node:zlib';
import type { Random } from '../random.ts';

/** An answer as a target writes it. */
export interface Answer {
  status: number;
  headers: string[];
  body: string;
}

/** Some bytes, and how long after those before them they come. */
export interface Piece {
  afterMs: number;
  bytes: Buffer;
}

export interface Written {
  pieces: Piece[];
  /** With what comes before: so many bytes, and its status and headers have been read. */
  headBytes: number;
  /** The connection ends behind it. */
  isLast: boolean;
  /** Only the end of the connection ends the body. */
  isOpenEnded: boolean;
}

const INTERIM = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
];

/** Draws in which form the answer comes: interim answers before it, codings, framing, and pieces. */
export function writtenBy(random: Random, { status, headers, body }: Answer): Written {
  const hasBody = status !== 204 && status !== 304;
  const isCoded = hasBody && random.chance(0.05);
  const content = isCoded ? gzipSync(body) : Buffer.from(body);
  const framing = random.next();
  const fields = [
    `x-served: ${status}`,
    ...headers,
    ...(isCoded ? ['content-encoding: gzip'] : []),
  ];
  const isOpenEnded = hasBody && framing >= 0.3 && framing < 0.35;
  let isLast = isOpenEnded;
  let framed: Buffer = hasBody ? content : Buffer.alloc(0);
  if (hasBody && framing < 0.3) {
    fields.push('transfer-encoding: chunked');
    framed = chunked(random, content);
  } else if (hasBody && !isOpenEnded) fields.push(`content-length: ${content.length}`);
  const keeping = random.next();
  if (keeping < 0.04) isLast = true;
  if (isLast) fields.push('connection: close');
  else if (keeping < 0.1) fields.push(`keep-alive: timeout=${random.whole(1, 6)}`);
  const head = Buffer.from(
    `HTTP/1.1 ${status} ${random.pick(['OK', ''])}\r\n${fields.join('\r\n')}\r\n\r\n`,
  );
  const interim = random.chance(0.1)
    ? Array.from({ length: random.whole(1, 3) }, () => Buffer.from(random.pick(INTERIM)))
    : [];
  const heads = Buffer.concat([...interim, head]);
  return {
    pieces: piecesOf(random, Buffer.concat([heads, framed])),
    headBytes: heads.length,
    isLast,
    isOpenEnded,
  };
}

function chunked(random: Random, content: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; ) {
    const size = random.whole(1, content.length - at);
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), content.subarray(at, at + size));
    parts.push(Buffer.from('\r\n'));
    at += size;
  }
  const trailer = random.chance(0.1) ? 'x-sum: 7\r\n' : '';
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

function piecesOf(random: Random, bytes: Buffer): Piece[] {
  const drawn = random.next();
  const count = drawn < 0.6 ? 1 : drawn < 0.97 ? random.whole(2, 5) : 40;
  const cuts = Array.from({ length: count - 1 }, () => random.whole(1, bytes.length - 1));
  const ends = [...new Set([...cuts.sort((a, b) => a - b), bytes.length])];
  return ends.map((end, index) => ({
    afterMs: index === 0 || random.chance(0.3) ? 0 : random.between(0, 3),
    bytes: bytes.subarray(ends[index - 1] ?? 0, end),
  }));
}
