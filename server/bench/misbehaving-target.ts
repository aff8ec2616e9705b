import { createServer, type Socket } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { optionsOfScript } from './processes.ts';
import type { MisbehavingOptions } from './target.ts';

/**
 * One host for each kind of misbehaviour (RFC 9110 and 9112 name most of them). A kind is played once a whole request has come,
 * or with the connection, if its name begins with "connection".
 */
const OK = 'HTTP/1.1 200 OK\r\n';
const MEGABYTE = 'x'.repeat(1 << 20);
/** Opens to 64 MB. */
const BOMB = gzipSync(Buffer.alloc(1 << 26), { level: 9 });

type Play = (socket: Socket) => void;

const says =
  (...parts: (string | Buffer)[]): Play =>
  socket => {
    for (const part of parts) socket.write(part);
  };
const thenEnds =
  (...parts: (string | Buffer)[]): Play =>
  socket => {
    says(...parts)(socket);
    socket.end();
  };
/** One part each `everyMs`, as long as the connection lives. */
const drips =
  (first: string, part: string | Buffer, everyMs: number): Play =>
  socket => {
    socket.write(first);
    const timer = setInterval(() => socket.writable && socket.write(part), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
/** As fast as it is read. */
const floods =
  (first: string, part: string | Buffer): Play =>
  socket => {
    socket.write(first);
    const more = () => {
      while (socket.writable && socket.write(part));
    };
    socket.on('drain', more);
    more();
  };

const KINDS: Record<string, Play> = {
  'connection closed': socket => socket.destroy(),
  'connection reset': socket => socket.resetAndDestroy(),
  'connection greeted': socket => socket.write('220 mail.example.com ESMTP\r\n'),
  'connection flooded': floods('', MEGABYTE),
  'nothing said': () => {},
  'closed without an answer': socket => socket.end(),
  'reset without an answer': socket => socket.resetAndDestroy(),
  'half a status line': thenEnds('HTTP/1.'),
  'half a head': thenEnds(OK, 'Content-Type: te'),
  'head without an end': drips(OK, 'X-More: 1\r\n', 20),
  'head flooded': floods(OK, `X-More: ${'y'.repeat(4_000)}\r\n`),
  'one header of a megabyte': says(OK, `X: ${MEGABYTE}`, '\r\n\r\n'),
  'status line of a megabyte': says(`HTTP/1.1 200 ${MEGABYTE}`, '\r\n\r\n'),
  'a thousand headers': says(OK, 'X-More: 1\r\n'.repeat(1_000), 'Content-Length: 0\r\n\r\n'),
  'head by bytes': drips('', 'H', 50),
  'body by bytes': drips(`${OK}Content-Length: 100000\r\n\r\n`, 'b', 50),
  'body flooded': floods(`${OK}Transfer-Encoding: chunked\r\n\r\n`, `100000\r\n${MEGABYTE}\r\n`),
  'body without an end': floods(`${OK}\r\n`, MEGABYTE),
  'body of a megabyte': says(`${OK}Content-Length: ${1 << 20}\r\n\r\n`, MEGABYTE),
  'body cut off': thenEnds(`${OK}Content-Length: 1000\r\n\r\n`, 'half'),
  'body cut off by a reset': socket => {
    socket.write(`${OK}Content-Length: 1000\r\n\r\nhalf`, () => socket.resetAndDestroy());
  },
  'body longer than said': says(`${OK}Content-Length: 2\r\n\r\n`, 'ok and more'),
  'answer twice': says(`${OK}Content-Length: 2\r\n\r\nok`.repeat(2)),
  'answer a thousand times': says(`${OK}Content-Length: 2\r\n\r\nok`.repeat(1_000)),
  'chunk without a size': says(`${OK}Transfer-Encoding: chunked\r\n\r\n`, 'zz\r\n'),
  'chunk of 2^60': says(`${OK}Transfer-Encoding: chunked\r\n\r\n`, 'fffffffffffffff\r\nx'),
  'chunks of one byte': says(
    `${OK}Transfer-Encoding: chunked\r\n\r\n`,
    '1\r\nx\r\n'.repeat(20_000),
    '0\r\n\r\n',
  ),
  'chunk extension of a megabyte': says(
    `${OK}Transfer-Encoding: chunked\r\n\r\n`,
    `1;${MEGABYTE}\r\n`,
  ),
  'trailers flooded': floods(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X-More: 1\r\n'),
  'last chunk missing': thenEnds(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '2\r\nok\r\n'),
  'two lengths': says(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n`, 'okk'),
  'length below zero': says(`${OK}Content-Length: -1\r\n\r\n`),
  'length of 2^70': says(`${OK}Content-Length: 1180591620717411303424\r\n\r\n`, 'x'),
  'length and chunks': says(
    `${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ),
  'bare line feeds': says('HTTP/1.1 200 OK\nContent-Length: 2\n\nok'),
  'header folded': says(`${OK}X: a\r\n b\r\nContent-Length: 2\r\n\r\nok`),
  'zero bytes': says('\0'.repeat(4_000)),
  'another protocol': says('SSH-2.0-OpenSSH_9.9\r\n'),
  'bytes of tls': says(Buffer.from([21, 3, 3, 0, 2, 2, 40])),
  'bytes of http/2': says(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
  'switching protocols': says('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'),
  'early hints flooded': floods('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'continue by drips': drips('', 'HTTP/1.1 100 Continue\r\n\r\n', 50),
  'status 999': says('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n'),
  'redirect to itself': says('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  'retry in a century': says(
    'HTTP/1.1 503 No\r\nRetry-After: 3153600000\r\nContent-Length: 0\r\n\r\n',
  ),
  'body that opens to 64 MB': socket => {
    const head = `${OK}Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`;
    says(head, BOMB)(socket);
  },
  'body that is not what it says': says(
    `${OK}Content-Encoding: gzip\r\nContent-Length: 12\r\n\r\n`,
    deflateSync('no').subarray(0, 8),
    'no!!',
  ),
  'kept alive, then closed': socket => {
    socket.write(`${OK}Content-Length: 2\r\n\r\nok`);
    setTimeout(() => socket.destroy(), 990);
  },
};

const { address, port } = optionsOfScript<MisbehavingOptions>();
const kinds = Object.entries(KINDS);

let listening = 0;
for (const [index, [name, play]] of kinds.entries()) {
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy());
    if (name.startsWith('connection')) return play(socket);
    socket.on('data', data => {
      if (data.includes('\r\n\r\n')) play(socket);
    });
  });
  server.listen(port + index, address, () => {
    listening += 1;
    if (listening === kinds.length) process.send!(kinds.length);
  });
}
