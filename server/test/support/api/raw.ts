import { connect } from 'node:net';

/** HTTP as bytes: for what no proper client would send. */

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface Exchange {
  answers: RawAnswer[];
  /** What was left over that is no answer. */
  rest: string;
  closed: boolean;
}

interface Options {
  /** Answers to wait for. Fewer is fine where the connection is closed. */
  answers?: number;
  /** Wait for the end of the connection, however many answers come. */
  untilClosed?: boolean;
  /** The answers are to HEAD: a length, and no body. */
  bodyless?: boolean;
  /** Read nothing before everything is sent, as a simple client does. */
  late?: boolean;
  /** Sent on the same connection when it is there. */
  more?: Promise<Buffer>;
  /** End this side after sending. */
  half?: boolean;
  timeLimitMs?: number;
}

/** @throws where neither the answers nor the end of the connection come in time: a hang */
export function exchange(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  options: Options = {},
): Promise<Exchange> {
  const { answers = 1, untilClosed = false, bodyless = false, half = false } = options;
  const { late = false, timeLimitMs = 5_000 } = options;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const chunks: Uint8Array[] = [];
    let isDone = false;
    const timer = setTimeout(() => {
      socket.destroy();
      const seen = Buffer.concat(chunks).toString('latin1').slice(0, 200);
      reject(new Error(`no end within ${timeLimitMs} ms; so far: ${JSON.stringify(seen)}`));
    }, timeLimitMs);
    const finish = (closed: boolean) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...readAnswers(Buffer.concat(chunks), bodyless), closed });
    };
    // Before anything listens: from then on it would read ahead.
    if (late) socket.pause();
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (untilClosed) return;
      if (readAnswers(Buffer.concat(chunks), bodyless).answers.length >= answers) finish(false);
    });
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    for (const part of partsOf(bytes)) {
      socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    }
    void options.more?.then(bytes => socket.write(bytes));
    if (half) socket.end();
    if (late) socket.write('', () => socket.resume());
  });
}

function partsOf(bytes: string | Buffer | readonly (string | Buffer)[]) {
  return typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes;
}

function readAnswers(bytes: Buffer, bodyless: boolean): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest: Buffer = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) break;
    const headers = Object.fromEntries(
      lines.map(line => [line.split(':')[0]!.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]),
    );
    const hasBody = status !== 100 && !bodyless;
    const length = hasBody ? Number(headers['content-length']) : 0;
    const start = end + 4;
    if (Number.isNaN(length) || rest.length < start + length) break;
    const body = rest.toString('utf8', start, start + length);
    if (status !== 100) answers.push({ status, headers, body });
    rest = rest.subarray(start + length);
  }
  return { answers, rest: rest.toString('latin1') };
}

export function requestBytes(
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
  body: string | Buffer = '',
): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: h',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content.length > 0 ? [`Content-Length: ${content.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}
