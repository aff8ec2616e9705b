import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { after, type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { parseAllowTargets } from '../../src/domain/schedule/target.ts';
import { createTextFetcher, type TextFetcherOptions } from '../../src/outbound/fetch-text.ts';
import {
  answer,
  leftOpen,
  names,
  serve,
  type TargetServer,
  until,
} from '../support/outbound/target-server.ts';

const pem = (name: string) =>
  readFileSync(new URL(`../data/localhost-${name}.pem`, import.meta.url), 'utf8');
setDefaultCACertificates([...getCACertificates('default'), pem('trusted')]);

after(async () => assert.deepEqual(await leftOpen(), []));

/** The first loopback address is open, and the second one stands for all that is private. */
const ALLOW = parseAllowTargets('127.0.0.1');
const ICS = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n';
const MIB = 1024 * 1024;

const fetcher = (options: Partial<TextFetcherOptions> = {}) =>
  createTextFetcher({
    allow: ALLOW,
    resolve: names({ localhost: ['127.0.0.1'], 'private.test': ['127.0.0.2'] }),
    ...options,
  });

const refuses = (message: RegExp) => ({ name: 'PunctualError', code: 'calendar_invalid', message });

async function fails(url: string, message: RegExp, options?: Partial<TextFetcherOptions>) {
  await assert.rejects(fetcher(options)(url), refuses(message));
}

/** Each connection is gone when the fetch is over. */
async function allClosed(target: TargetServer): Promise<void> {
  for (let nth = 1; nth <= target.connections; nth += 1) await target.closed(nth);
}

const redirect = (to: string, status = '302 Found') => answer('', status, [`Location: ${to}`]);

test('the text of a 200 is fetched, on a connection that does not stay', async t => {
  const target = await serve(t, socket => socket.write(answer(`${ICS}é`)));
  assert.equal(await fetcher()(`${target.url}private/basic.ics?key=1#part`), `${ICS}é`);
  await allClosed(target);
  const { head } = target.requests[0]!;
  assert.match(head, /^GET \/private\/basic\.ics\?key=1 HTTP\/1\.1\r\n/);
  assert.match(head, /^accept: text\/calendar\r?$/im);
  assert.match(head, /^accept-encoding: identity\r?$/im);
  assert.match(head, /^user-agent: Punctual\/\S+\r?$/im);
});

test('a text may come in chunks, without a length, or behind interim answers', async t => {
  const chunked =
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nBEGI\r\n1\r\nN\r\n0\r\n\r\n';
  const bodies = ['HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'].join('');
  const target = await serve(t, (socket, nth) => {
    if (nth === 1) socket.write(chunked);
    else socket.end(`${bodies}BEGIN`);
  });
  const fetch = fetcher();
  assert.equal(await fetch(target.url), 'BEGIN');
  assert.equal(await fetch(target.url), 'BEGIN');
});

test('a byte order mark is left out, and an empty body is an empty text', async t => {
  const target = await serve(t, (socket, nth) =>
    socket.write(answer(nth === 1 ? `\uFEFF${ICS}` : '')),
  );
  const fetch = fetcher();
  assert.equal(await fetch(target.url), ICS);
  assert.equal(await fetch(target.url), '');
});

for (const status of [
  '404 Not Found',
  '500 Oops',
  '204 No Content',
  '206 Partial',
  '304 Not Modified',
]) {
  test(`only a 200 counts: ${status}`, async t => {
    const target = await serve(t, socket => socket.write(answer('', status)));
    await fails(target.url, new RegExp(`^The calendar's url answered ${status.slice(0, 3)}\\.$`));
    await allClosed(target);
  });
}

test('a redirect without a Location is an answer', async t => {
  const target = await serve(t, socket => socket.write(answer('', '302 Found')));
  await fails(target.url, /^The calendar's url answered 302\.$/);
});

test('redirects are followed, five of them, also relative ones', async t => {
  const target = await serve(t, (socket, nth) => {
    const places = [
      '/2',
      '3?a',
      `http://127.0.0.1:${target.port}/4`,
      `//127.0.0.1:${target.port}/5`,
      '?6',
    ];
    const to = places[nth - 1];
    socket.write(to === undefined ? answer(ICS) : redirect(to, nth % 2 === 0 ? '301 M' : '308 P'));
  });
  assert.equal(await fetcher()(target.url), ICS);
  assert.deepEqual(
    target.requests.map(({ head }) => head.split(' ')[1]),
    ['/', '/2', '/3?a', '/4', '/5', '/5?6'],
  );
  await allClosed(target);
});

test('a loop of redirects ends', async t => {
  const target = await serve(t, socket => socket.write(redirect('/')));
  await fails(target.url, /^The calendar's url redirects more than 5 times\.$/);
  assert.equal(target.requests.length, 6);
});

test('a redirect to an address that is refused is not followed', async t => {
  const secret = await serve(t, socket => socket.write(answer(ICS)), { host: '127.0.0.2' });
  const target = await serve(t, socket =>
    socket.write(redirect(`http://127.0.0.2:${secret.port}/latest/meta-data`)),
  );
  await fails(
    target.url,
    /^The calendar's url redirects to http:\/\/127\.0\.0\.2:\d+, which is refused: the address 127\.0\.0\.2 is .+, which is refused unless PUNCTUAL_ALLOW_TARGETS opens it\.$/,
  );
  assert.equal(secret.connections, 0);
});

test('a redirect to a name that resolves to a refused address is not followed', async t => {
  const secret = await serve(t, socket => socket.write(answer(ICS)), { host: '127.0.0.2' });
  const target = await serve(t, socket =>
    socket.write(redirect(`http://private.test:${secret.port}/`)),
  );
  await fails(
    target.url,
    /^The calendar's url redirects to http:\/\/private\.test:\d+, which could not be read: what private\.test resolves to is .+ unless PUNCTUAL_ALLOW_TARGETS opens it\.$/,
  );
  assert.equal(secret.connections, 0);
});

for (const [to, sentence] of [
  [
    'http://169.254.169.254/latest',
    /^The calendar's url redirects to http:\/\/169\.254\.169\.254, which is refused: /,
  ],
  [
    'http://metadata.google.internal/',
    /which is refused: the host "metadata\.google\.internal" is a cloud/,
  ],
  [
    'http://0x7f.0.0.2/',
    /^The calendar's url redirects to http:\/\/127\.0\.0\.2, which is refused: /,
  ],
  [
    'http://user:password@127.0.0.1/',
    /^The calendar's url redirects to http:\/\/127\.0\.0\.1, which is refused: a url must not contain a user name/,
  ],
  [
    'file:///etc/passwd',
    /^The calendar's url redirects to a file: url, which is refused: a url must be absolute/,
  ],
  ['webcal://127.0.0.1/a', /^The calendar's url redirects to a webcal: url, which is refused: /],
  ['http://[', /^The calendar's url redirects to what is no url\.$/],
] as const) {
  test(`a redirect is refused: ${to}`, async t => {
    const target = await serve(t, socket => socket.write(redirect(to)));
    await fails(target.url, sentence);
    assert.equal(target.requests.length, 1);
  });
}

test('a redirect leads from http to https, and never back', async t => {
  const plain = await serve(t, (socket, nth) =>
    socket.write(nth === 1 ? redirect(sealed.url) : answer('plain')),
  );
  const sealed: TargetServer = await serve(
    t,
    (socket, nth) => socket.write(nth === 1 ? answer(ICS) : redirect(plain.url)),
    { pem: pem('trusted') },
  );
  const fetch = fetcher();
  assert.equal(await fetch(plain.url), ICS);
  await assert.rejects(
    fetch(sealed.url),
    refuses(
      /^The calendar's url redirects to http:\/\/127\.0\.0\.1:\d+, which is refused: it leads from https to http\.$/,
    ),
  );
  assert.equal(plain.requests.length, 1);
});

test('the sentence names the place that failed behind a redirect, but not its path', async t => {
  const target = await serve(t, (socket, nth) =>
    socket.write(nth === 1 ? redirect('/secret-path') : answer('', '404 Not Found')),
  );
  await fails(
    target.url,
    /^The calendar's url redirects to http:\/\/127\.0\.0\.1:\d+, which answered 404\.$/,
  );
});

for (const url of ['webcal://127.0.0.1/', 'ftp://127.0.0.1/', '/basic.ics', '']) {
  test(`a url is refused: ${JSON.stringify(url)}`, () =>
    fails(url, /^The calendar's url is refused: a url must be absolute and begin with http/));
}

test('an address that is refused is not called', async t => {
  const secret = await serve(t, socket => socket.write(answer(ICS)), { host: '127.0.0.2' });
  await fails(`http://127.0.0.2:${secret.port}/`, /^The calendar's url is refused: the address /);
  await fails(
    `http://private.test:${secret.port}/`,
    /^The calendar's url could not be read: what private\.test resolves to is /,
  );
  assert.equal(secret.connections, 0);
});

test('targets that are allowed later are called then', async t => {
  const target = await serve(t, socket => socket.write(answer(ICS)));
  let allow = parseAllowTargets('');
  const fetch = fetcher({ allow: () => allow });
  await assert.rejects(fetch(target.url), refuses(/^The calendar's url is refused/));
  allow = ALLOW;
  assert.equal(await fetch(target.url), ICS);
});

const HANGS: Record<string, (socket: Socket) => void> = {
  'before the headers': () => {},
  'within the headers': socket => socket.write('HTTP/1.1 200 OK\r\nContent-Le'),
  'in the body': socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nBEGIN'),
};

for (const [where, hang] of Object.entries(HANGS)) {
  test(`a server that hangs ${where} is left in time`, async t => {
    const target = await serve(t, hang);
    await fails(target.url, /^The calendar's url did not answer within 0\.2 s\.$/, {
      timeoutMs: 200,
    });
    await allClosed(target);
  });
}

test('a server that sends a little at a time is left in time', async t => {
  const target = await serve(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
    const timer = setInterval(() => socket.write('x'), 10);
    socket.once('close', () => clearInterval(timer));
  });
  await fails(target.url, /^The calendar's url did not answer within 0\.3 s\.$/, {
    timeoutMs: 300,
  });
  await allClosed(target);
});

test('all hops share the time', { timeout: 30_000 }, async t => {
  const open: (() => void)[] = [];
  const target = await serve(t, (socket, nth) =>
    open.push(() => socket.write(redirect(`/${nth}`))),
  );
  // A busy machine may take longer for a hop than a test would wait.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const failed = fails(
    target.url,
    /^The calendar's url redirects to http:\/\/127\.0\.0\.1:\d+, which did not answer within 10 s\.$/,
    { timeoutMs: 10_000 },
  );
  for (const hop of [1, 2]) {
    await until(() => open.length === hop);
    t.mock.timers.tick(4_000);
    open[hop - 1]!();
  }
  await until(() => open.length === 3);
  t.mock.timers.tick(2_000);
  await failed;
  assert.equal(target.requests.length, 3);
});

test('a name that is never resolved is left in time', () =>
  fails('http://slow.test/', /^The calendar's url did not answer within 0\.1 s\.$/, {
    timeoutMs: 100,
    resolve: () => new Promise(() => {}),
  }));

test('a TLS handshake that never comes is left in time', async t => {
  const target = await serve(t, () => {});
  await fails(
    `https://127.0.0.1:${target.port}/`,
    /^The calendar's url did not answer within 0\.2 s\.$/,
    {
      timeoutMs: 200,
    },
  );
  await allClosed(target);
});

async function sendsEndlessly(t: TestContext, head: string): Promise<TargetServer> {
  return serve(t, socket => {
    socket.write(head);
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
      socket.once('drain', more);
    };
    more();
  });
}

test('a body without end is left at 1 MiB', async t => {
  const target = await sendsEndlessly(t, 'HTTP/1.1 200 OK\r\n\r\n');
  await fails(target.url, /^The calendar's url is larger than 1 MiB\.$/);
  await allClosed(target);
});

test('1 MiB is fetched, and a byte more is not, whether or not it is announced', async t => {
  const length = (bytes: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`;
  const target = await serve(t, (socket, nth) => {
    if (nth === 1) socket.write(length(MIB) + 'x'.repeat(MIB));
    // Announced, and nothing comes.
    else if (nth === 2) socket.write(length(MIB + 1));
    else socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(MIB + 1)}`);
  });
  const fetch = fetcher();
  assert.equal((await fetch(target.url)).length, MIB);
  await assert.rejects(fetch(target.url), refuses(/ is larger than 1 MiB\.$/));
  await assert.rejects(fetch(target.url), refuses(/ is larger than 1 MiB\.$/));
});

test('a compressed answer is refused, though it was not asked for', async t => {
  const zipped = gzipSync('x'.repeat(MIB * 2));
  const target = await serve(t, socket => {
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`,
    );
    socket.write(zipped);
  });
  await fails(
    target.url,
    /^The calendar's url answered with a Content-Encoding, which was not asked for\.$/,
  );
});

test('a text that is not UTF-8 is refused', async t => {
  const target = await serve(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n');
    socket.write(Buffer.from([0x41, 0xe4, 0x42]));
  });
  await fails(target.url, /^The calendar's url answered with text that is not UTF-8\.$/);
});

test('a text that breaks off is refused', async t => {
  const target = await serve(t, (socket, nth) => {
    if (nth === 1) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nBEGIN');
    else socket.write('HTTP/1.1 200 OK\r\n\r\nBEGIN', () => socket.resetAndDestroy());
  });
  const fetch = fetcher();
  for (let nth = 0; nth < 2; nth += 1) {
    await assert.rejects(
      fetch(target.url),
      refuses(
        /^The calendar's url could not be read: 127\.0\.0\.1:\d+ broke off its answer before the end\.$/,
      ),
    );
  }
});

test('a connection that is refused or closed says so', async t => {
  const target = await serve(t, socket => socket.destroy());
  await fails(
    target.url,
    /^The calendar's url could not be read: 127\.0\.0\.1:\d+ closed the connection without an answer\.$/,
  );
  assert.equal(target.requests.length, 1);
  await fails(
    'http://127.0.0.1:9999/',
    /^The calendar's url could not be read: the connection to 127\.0\.0\.1:9999 was refused\.$/,
  );
  await fails(
    'http://nowhere.test/',
    /^The calendar's url could not be read: the name of nowhere\.test:80 does not exist or has no address\.$/,
  );
});

test('what is not HTTP is refused', async t => {
  const target = await serve(t, socket => socket.write('SSH-2.0-OpenSSH\r\n\r\n'));
  await fails(
    target.url,
    /^The calendar's url could not be read: 127\.0\.0\.1:\d+ did not answer in valid HTTP/,
  );
});

test('headers without end are left at 16 KiB', async t => {
  const target = await sendsEndlessly(t, 'HTTP/1.1 200 OK\r\nX: ');
  await fails(
    target.url,
    /could not be read: 127\.0\.0\.1:\d+ answered with more than 16 KiB of headers\.$/,
  );
  await allClosed(target);
});

test('a certificate that nobody vouches for is refused', async t => {
  const target = await serve(t, socket => socket.write(answer(ICS)), { pem: pem('untrusted') });
  await fails(
    target.url,
    /^The calendar's url could not be read: the certificate of localhost:\d+ is self-signed and not trusted\.$/,
  );
  assert.equal(target.requests.length, 0);
});
