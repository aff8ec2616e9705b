import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { PunctualClient, Run } from '../../client/src/index.ts';
import { placeOf } from '../src/wall/wall-drawing.ts';
import { type Landing, landingOf } from '../src/wall/wall-maths.ts';
import {
  assertAccessible,
  assertFits,
  type Look,
  launch,
  openWindow,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';
import { until } from './support/until.ts';

const LOOKS: [string, Look][] = [
  ['desktop', {}],
  ['phone', { size: 'phone' }],
  ['wide', { size: 'wide' }],
];
const LONGEST_WAIT_MS = 30_000;
const FIGURES = /^Clock face\. ([\d,]+) firings, ([\d,]+) failed\./;

/** A target that answers after this time, in ms. */
async function startSlowTarget(context: TestContext, delayMs: number): Promise<string> {
  const server = createServer((_request, response) => setTimeout(() => response.end(), delayMs));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/slow`;
}

/**
 * The next run that is told and of which this holds.
 *
 * @throws after 30 s
 */
async function nextLanding(client: PunctualClient, holds: (landing: Landing) => boolean) {
  for await (const event of client.events({ signal: AbortSignal.timeout(LONGEST_WAIT_MS) })) {
    const landing = event.type === 'run.ended' ? landingOf(event.data) : null;
    if (landing !== null && !isUnderNames(landing) && holds(landing)) return landing;
  }
  throw new Error('the stream of events ended');
}

/** On the face: the middle has 0.27 of the rim, and the axis is of powers of ten up to a minute. */
const far = (lateMs: number) =>
  0.45 * (0.27 + 0.73 * (Math.log10(Math.max(1, lateMs)) / Math.log10(60_000)));

/** The names of the rings stand at 52.5 s, over the marks. */
function isUnderNames({ startedAt }: Landing): boolean {
  return Math.abs((startedAt % 60_000) - 52_500) < 2_000;
}

/** The colours of the face around a landing: of its middle, of its edge above, and of its corners. */
async function colourAt(page: Page, landing: Landing) {
  const [x, y] = placeOf(landing, far);
  const read = `(() => {
    const canvas = document.querySelector('.wall-face canvas');
    const unit = Math.max(2.2, canvas.clientWidth / 210) * (canvas.width / canvas.clientWidth);
    const colour = (dx, dy) => {
      const at = [${x} * canvas.width + dx * unit, ${y} * canvas.width + dy * unit];
      const [px, py] = at.map(each => Math.round(each + canvas.width / 2));
      const [r, g, b] = canvas.getContext('2d').getImageData(px, py, 1, 1).data;
      if (Math.max(r, g, b) - Math.min(r, g, b) < 60) return 'none';
      if (g > r) return 'green';
      return g - b > 30 ? 'amber' : 'red';
    };
    return { middle: colour(0, 0), above: colour(0, -1.3), corner: colour(0.9, 0.9) };
  })()`;
  return (await page.evaluate(read)) as { middle: string; above: string; corner: string };
}

/** Waits for the frame in which it stands there: the face is some seconds behind what it hears, and more on a busy machine. */
async function assertStands(page: Page, landing: Landing, expected: object) {
  const end = Date.now() + LONGEST_WAIT_MS;
  let last: unknown;
  while (Date.now() < end) {
    last = await colourAt(page, landing);
    if (JSON.stringify(last) === JSON.stringify(expected)) return;
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
  assert.deepEqual(last, expected, JSON.stringify(landing));
}

test('each firing lands at its second and lateness; late and failed ones differ by shape', async context => {
  const [punctual, target, broken, slow] = await Promise.all([
    startPunctual(context),
    startTarget(context),
    startTarget(context),
    startSlowTarget(context, 2_500),
  ]);
  broken.status = 500;
  const { client, url } = punctual;
  const schedule = { verb: 'GET', timezone: 'UTC' } as const;
  const policy = { maxRetries: 0 };
  await client.createSchedules([
    // Two seconds apart: marks of seconds that follow each other may touch.
    { ...schedule, url: target.url, interval: '0/6 * * * * *' },
    { ...schedule, url: broken.url, interval: '2/6 * * * * *', policy },
    // The time that comes while it waits for its answer is late by more than a second.
    { ...schedule, url: slow, interval: '4/6,5/6 * * * * *', policy: { overlap: 'bufferOne' } },
  ]);
  const browser = await launch();
  context.after(() => browser.close());
  // A mark is some px wide: at a ratio of 1 its edges are half covered pixels.
  const { page, faults } = await openWindow(browser, { pixelRatio: 3 });
  await signIn(page, url, punctual.credentials);
  await page.goto(`${url}/wall`);
  await page.getByRole('img', { name: FIGURES }).waitFor();

  // Each is looked for at once: marks fade.
  const onTime = await nextLanding(client, each => !each.hasFailed && each.lateMs < 1_000);
  await assertStands(page, onTime, { middle: 'green', above: 'none', corner: 'none' });
  const late = await nextLanding(client, each => !each.hasFailed && each.lateMs >= 1_000);
  await assertStands(page, late, { middle: 'none', above: 'amber', corner: 'amber' });
  const failed = await nextLanding(client, each => each.hasFailed && each.lateMs < 1_000);
  await assertStands(page, failed, { middle: 'red', above: 'none', corner: 'red' });
  await page.getByRole('img', { name: /^Firings by lateness: .* from 1 s to 10 s/ }).waitFor();
  assert.deepEqual(faults, []);
});

for (const [name, look] of LOOKS) {
  test(`the wall is for everybody, dark and light: ${name}`, async context => {
    const { client, url, credentials } = await startPunctual(context);
    const schedule = { verb: 'GET', timezone: 'UTC', interval: '* * * * * *' } as const;
    await client.createSchedules([
      { ...schedule, url: `${url}/echo` },
      { ...schedule, url: 'http://127.0.0.1:1/', policy: { maxRetries: 0 } },
    ]);
    const browser = await launch();
    context.after(() => browser.close());
    const { page, faults } = await openWindow(browser, look);
    await signIn(page, url, credentials);
    await page.goto(`${url}/wall`);
    for (const scheme of ['dark', 'light']) {
      if (scheme === 'light') await page.getByRole('button', { name: 'Light wall' }).click();
      await page.getByRole('img', { name: FIGURES }).waitFor();
      await page.getByRole('img', { name: /due in the next minute\.$/ }).waitFor();
      await assertAccessible(page, scheme);
      await assertFits(page, scheme);
    }
    assert.deepEqual(faults, []);
  });
}

test('keys reach the wall, fill the window with it, and bring it back', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to anything' }).fill('wall');
  await page.getByRole('option', { name: /^Wall/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Wall' }).waitFor();
  await page.getByRole('img', { name: 'Clock face. Nothing has fired lately.' }).waitFor();
  const wall = page.getByRole('region', { name: 'Firings' });
  const isFull = async () => {
    const box = (await wall.boundingBox())!;
    return box.x === 0 && box.y === 0 && box.width === (await page.evaluate('innerWidth'));
  };
  assert.equal(await isFull(), false);
  await page.keyboard.press('f');
  await page.locator('[data-wall=full]').waitFor();
  assert.equal(await isFull(), true);
  await assertAccessible(page, 'full screen');
  await page.keyboard.press('f');
  await page.locator('[data-wall=full]').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Full screen' }).press('Enter');
  await page.locator('[data-wall=full]').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-wall=full]').waitFor({ state: 'detached' });
  assert.equal(await isFull(), false);
  assert.deepEqual(faults, []);
});

test('in full view a button leads back, and nothing that is covered takes a key', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { context: first, page } = await openWindow(browser);
  await signIn(page, url, credentials);
  for (const [name, look] of LOOKS) {
    const window = await openWindow(browser, look);
    await share(first, window.context);
    // A phone that fills no screen.
    await window.page.addInitScript('delete Element.prototype.requestFullscreen');
    await window.page.goto(`${url}/wall`);
    const full = window.page.getByRole('button', { name: 'Full screen' });
    await full.click();
    const back = window.page.getByRole('button', { name: 'Back', exact: true });
    const focused = () => window.page.evaluate<string>('document.activeElement.textContent');
    await until(`focus on Back, ${name}`, async () => (await focused()) === 'Back');
    await assertAccessible(window.page, `${name}, full`);
    await assertFits(window.page, `${name}, full`);
    for (const key of ['Tab', 'Tab', 'Tab']) {
      await window.page.keyboard.press(key);
      assert.equal(await window.page.evaluate(IS_COVERED_FOCUSED), false, name);
    }
    await back.click();
    await window.page.locator('[data-wall=full]').waitFor({ state: 'detached' });
    await until(`focus on Full screen, ${name}`, async () => (await focused()) === 'Full screen');
    assert.deepEqual(window.faults, [], name);
    await window.context.close();
  }
});

const IS_COVERED_FOCUSED = 'document.querySelector("#root").contains(document.activeElement)';

/** A browser that fills the screen only when the test says so. */
const SLOW_SCREEN = `
  let filled = null;
  const asked = [];
  Object.defineProperty(document, 'fullscreenElement', { get: () => filled });
  Element.prototype.requestFullscreen = function () {
    return new Promise(done => {
      asked.push(() => { filled = this; done(); });
    });
  };
  document.exitFullscreen = async () => { filled = null; };
  window.fill = () => asked.shift()();
`;

test('a screen that is filled after the wall was left is given back, and kept if it is wanted again', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await page.addInitScript(SLOW_SCREEN);
  await signIn(page, url, credentials);
  await page.goto(`${url}/wall`);
  await page.getByRole('region', { name: 'Firings' }).waitFor();
  const full = page.locator('[data-wall=full]');
  await page.keyboard.press('f');
  await full.waitFor();
  await page.keyboard.press('f');
  await full.waitFor({ state: 'detached' });
  await page.evaluate('fill()');
  await until('the screen to be given back', () =>
    page.evaluate<boolean>('document.fullscreenElement === null'),
  );
  await page.keyboard.press('f');
  await full.waitFor();
  await page.keyboard.press('f');
  await full.waitFor({ state: 'detached' });
  await page.keyboard.press('f');
  await full.waitFor();
  // The first of the two. A screen is given back in the same turn.
  await page.evaluate('fill()');
  assert.equal(await page.evaluate('document.fullscreenElement === null'), false);
  assert.deepEqual(faults, []);
});

test('in full view the wall says that the connection is lost', async context => {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, punctual.url, punctual.credentials);
  await page.goto(`${punctual.url}/wall`);
  await page.getByText('Live', { exact: true }).waitFor();
  // The frame of the page is there first.
  await page.getByRole('region', { name: 'Firings' }).waitFor();
  await page.keyboard.press('f');
  await page.locator('[data-wall=full]').waitFor();
  const lost = page.getByText('No connection. Newer firings are not shown.');
  assert.equal(await lost.count(), 0);
  await punctual.stop();
  await lost.waitFor();
  await assertAccessible(page, 'full, lost');
  await punctual.startAgain();
  await lost.waitFor({ state: 'detached' });
});

test('until it is known what fired, the wall shows dashes', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.route('**/v1/event', route => route.abort());
  await page.goto(`${url}/wall`);
  await page.getByRole('img', { name: /It is not known yet what has fired\.$/ }).waitFor();
  const fired = page.locator('.wall-figures > div').filter({ hasText: 'Fired' });
  assert.equal(await fired.locator('.wall-figure').textContent(), '–');
  await page.unroute('**/v1/event');
  await page.getByRole('img', { name: 'Clock face. Nothing has fired lately.' }).waitFor();
  assert.equal(await fired.locator('.wall-figure').textContent(), '0');
});

/** Two gaps, far enough from each other to say that firings are missing again and again. */
function gaps(): string {
  return [20_000, 0]
    .map(agoMs => {
      const to = new Date(Date.now() - agoMs).toISOString();
      const data = JSON.stringify({ from: to, to });
      return `id: ${Date.parse(to)}-gap\nevent: gap\ndata: ${data}\n\n`;
    })
    .join('');
}

test('where more fires than is told one by one, the wall reads a sample', async context => {
  const { client, url, credentials } = await startPunctual(context);
  const interval = '* * * * * *';
  await client.createSchedules([{ url: `${url}/echo`, verb: 'GET', timezone: 'UTC', interval }]);
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.route('**/v1/event', route =>
    route.fulfill({ contentType: 'text/event-stream', body: gaps() }),
  );
  // Runs of before are left out: what lands is of the sample.
  const isBefore = ({ pathname, searchParams }: URL) =>
    pathname === '/v1/run' && !searchParams.has('to');
  await page.route(isBefore, route => route.fulfill({ json: { items: [] } }));
  await page.goto(`${url}/wall`);
  await page.getByRole('img', { name: FIGURES }).waitFor();
  await page.getByText(/^More runs end than the service tells one by one/).waitFor();
});

/** The firings that the service knows. */
async function landed(client: PunctualClient): Promise<number> {
  let count = 0;
  for await (const run of client.runs({ limit: 100 })) if (landingOf(run) !== null) count += 1;
  return count;
}

async function hasEnded(client: PunctualClient): Promise<boolean> {
  const { items } = await client.listRuns({ limit: 100 });
  return items.every(({ status }) => !['queued', 'running', 'retrying'].includes(status));
}

/** As a browser does it: a tab that nobody sees gets no frames. The number asked for meanwhile is counted. */
const HIDES = `
  const ask = window.requestAnimationFrame.bind(window);
  const held = [];
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  window.requestAnimationFrame = frame => isHidden ? held.push(frame) : ask(frame);
  window.setHidden = value => {
    isHidden = value;
    document.dispatchEvent(new Event('visibilitychange'));
    if (!value) for (const frame of held.splice(0)) ask(frame);
  };
  window.heldFrames = () => held.length;
`;

test('in a hidden tab nothing piles up, and its figures are true when it is seen again', async context => {
  const punctual = await startPunctual(context);
  const { client, url } = punctual;
  const schedule = { url: `${url}/echo`, verb: 'GET', timezone: 'UTC' } as const;
  const made = await client.createSchedules(
    Array.from({ length: 2 }, () => ({ ...schedule, interval: '* * * * * *' })),
  );
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await page.addInitScript(HIDES);
  await signIn(page, url, punctual.credentials);
  await page.goto(`${url}/wall`);
  await page.getByRole('img', { name: FIGURES }).waitFor();
  await page.evaluate('setHidden(true)');
  let count = 0;
  let last: Run | undefined;
  for await (const event of client.events({ signal: AbortSignal.timeout(LONGEST_WAIT_MS) })) {
    // A busy machine skips one now and then: that lands nowhere.
    if (event.type !== 'run.ended' || landingOf(event.data) === null) continue;
    last = event.data;
    count += 1;
    if (count === 20) break;
  }
  assert.ok(last !== undefined);
  const held = (await page.evaluate('heldFrames()')) as number;
  assert.ok(held <= 1, `${held} frames wait for a tab that nobody sees, after ${count} firings`);

  const { items } = made;
  await client.patchSchedules({ ids: items.map(({ id }) => id), patch: { status: 'disabled' } });
  await page.evaluate('setHidden(false)');
  // Disabled ones begin nothing; the last runs may still be going.
  await until('the last runs to end', () => hasEnded(client));
  const fired = await landed(client);
  await page.getByRole('img', { name: `Clock face. ${fired} firings, 0 failed.` }).waitFor();
  assert.ok(fired >= count, `${fired} landed, and ${count} were told`);
  assert.deepEqual(faults, []);
});
