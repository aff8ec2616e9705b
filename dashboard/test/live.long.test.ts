import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { PunctualClient, Run } from '@punctual/client';
import type { CDPSession, Page } from 'playwright-core';
import { startPostgres } from '../../server/test/support/store/postgres-server.ts';
import { launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';

/** Runs that are heard of while it is counted what the page asks for. */
const EVENTS = 10;
/** Runs that are heard of at most while the page asks for everything once. */
const MOST_BEFORE = 60;

/** The questions that a page repeats all the time. */
const ASKED_AGAIN = new Set(['/readyz', '/v1/timeline', '/v1/stats', '/v1/incident']);

/** The bytes and requests of a page, as the browser counts them. */
async function counted(page: Page) {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const bytes = new Map<string, number>();
  const asked: string[] = [];
  const paths = new Map<string, string>();
  /** Requests that are not answered yet, by their documents, but for the stream of events, which never ends. */
  const going = new Map<string, string>();
  let document = '';
  session.on('Network.requestWillBeSent', ({ requestId, loaderId, type, request }) => {
    if (type === 'Document') document = loaderId;
    const path = new URL(request.url).pathname.replace(/[0-9a-f-]{36}/, '…');
    paths.set(requestId, path);
    asked.push(path);
    if (path !== '/v1/event') going.set(requestId, loaderId);
  });
  session.on('Network.loadingFailed', ({ requestId }) => going.delete(requestId));
  session.on('Network.dataReceived', ({ requestId, dataLength, encodedDataLength }) => {
    bytes.set(requestId, (bytes.get(requestId) ?? 0) + (encodedDataLength || dataLength));
  });
  // With its headers.
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    going.delete(requestId);
    bytes.set(requestId, Math.max(bytes.get(requestId) ?? 0, encodedDataLength));
  });
  return {
    asked,
    /** The browser does not tell the end of those that a navigation cut off: they are of another document. */
    going: () => [...going].flatMap(([id, of]) => (of === document ? [paths.get(id)!] : [])),
    /** By path: how often, and how many bytes came. */
    told() {
      const sums = new Map<string, number>();
      for (const [id, sum] of bytes) {
        const path = paths.get(id) ?? 'events';
        sums.set(path, (sums.get(path) ?? 0) + sum);
      }
      const times = (path: string) => asked.filter(each => each === path).length;
      return [...sums].map(([path, sum]) => `${path} ${times(path)} (${sum})`).join(', ');
    },
    total: () => [...bytes.values()].reduce((sum, each) => sum + each, 0),
    forget() {
      bytes.clear();
      asked.length = 0;
    },
  };
}

/** Listens to runs that end. @returns the next one: those that ended while nobody waited are not told later */
function listenToRuns(context: TestContext, client: PunctualClient): () => Promise<Run> {
  const heard = new EventEmitter();
  const abort = new AbortController();
  const listen = async () => {
    for await (const { type, data } of client.events({ signal: abort.signal })) {
      if (type === 'run.ended') heard.emit('run', data);
    }
  };
  const listening = listen().catch(error => abort.signal.aborted || heard.emit('error', error));
  context.after(() => {
    abort.abort();
    return listening;
  });
  return async () => {
    const [run] = await once(heard, 'run');
    return run;
  };
}

async function assertFrugal(context: TestContext, environment: Record<string, string>) {
  const punctual = await startPunctual(context, environment);
  const { url, client, credentials } = punctual;
  const schedule = await client.createSchedule({
    label: 'Every second',
    url: `${url}/echo`,
    verb: 'GET',
    interval: '* * * * * *',
    timezone: 'UTC',
  });
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  const nextRun = listenToRuns(context, client);
  for (const [path, name] of [
    [`/schedules/${schedule.id}`, 'Every second'],
    ['/runs', 'Runs'],
    ['/', 'Overview'],
  ] as const) {
    const count = await counted(page);
    await page.goto(url + path);
    await page.getByText('Live', { exact: true }).waitFor();
    // While the page is on its way, another heading stands there.
    await page.getByRole('heading', { level: 1, name }).waitFor();
    // The page asks for everything once, and is then told.
    for (let calm = 0, heard = 0; calm < 2; heard += 1) {
      const going = count.going();
      assert.ok(heard < MOST_BEFORE, `${path} is not calm: ${going} go on; ${count.asked}`);
      count.forget();
      await nextRun();
      const isCalm = count.going().length === 0 && count.asked.every(each => ASKED_AGAIN.has(each));
      calm = isCalm ? calm + 1 : 0;
    }
    count.forget();
    const startedAt = performance.now();
    let last = await nextRun();
    for (let heard = 1; heard < EVENTS; heard += 1) last = await nextRun();
    // A busy machine may miss some of its seconds, while the page repeats its questions.
    const seconds = Math.max(EVENTS, (performance.now() - startedAt) / 1_000);
    const perEvent = count.total() / EVENTS;
    const told = count.told();
    context.diagnostic(`${path}: ${Math.round(perEvent)} bytes an event; ${told}`);
    assert.ok(perEvent < 5_000, `${path}: ${perEvent} bytes for each event; ${told}`);
    assert.ok(perEvent > 200, 'what happens is heard');
    // Ten seconds may hold each question that a page repeats, however rarely: 14 on the page of a schedule.
    assert.ok(
      count.asked.length < seconds * 1.5,
      `${path}: ${count.asked.length} requests; ${told}`,
    );
    if (path !== '/') {
      // It is there without having been asked for.
      const row = page.getByRole('button', { name: timeOf(last.scheduledFor) });
      await row.first().waitFor();
    }
  }
  assert.deepEqual(faults, []);
}

/** As the page shows it, in the zone of the window. */
function timeOf(at: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(new Date(at));
}

test('a page of a one-second schedule takes less than 5 KB for each event, and asks for what is new only', async context => {
  await assertFrugal(context, {});
});

test('the same on PostgreSQL', async context => {
  const server = await startPostgres();
  context.after(() => server.stop());
  await assertFrugal(context, { DATABASE_URL: await server.createDatabase() });
});
