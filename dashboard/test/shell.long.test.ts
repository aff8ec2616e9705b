import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  assertAccessible,
  assertFits,
  type Look,
  launch,
  openWindow,
  screenshot,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';
import { until } from './support/until.ts';

/** What is around the pages: the first paint, addresses where nothing is, density, panes. */

async function signedIn(context: TestContext, look: Look = {}) {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser, look);
  await signIn(window.page, punctual.url, punctual.credentials);
  return { ...punctual, ...window, browser };
}

test('the frame is painted before any file has arrived, and the page goes on from there', async context => {
  const { url, browser, context: first } = await signedIn(context);
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context: window, faults } = await openWindow(browser, { colorScheme });
    await share(first, window);
    const held: (() => Promise<void>)[] = [];
    let isHeld = true;
    await page.route('**/assets/**', route => {
      if (isHeld) held.push(() => route.continue());
      else void route.continue();
    });
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByText('Punctual', { exact: true }).waitFor();
    await until('two held requests', () => held.length >= 2);
    // Nothing but the document is there, and it is on the screen.
    const painted = `performance.getEntriesByName('first-contentful-paint').length`;
    await until('the first paint', async () => (await page.evaluate(painted)) !== 0);
    assert.equal(await page.evaluate('document.styleSheets.length'), 1);
    await assertAccessible(page, `the shell, ${colorScheme}`);
    await assertFits(page, 'the shell');
    isHeld = false;
    for (const go of held) await go();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.deepEqual(faults, []);
    await window.close();
  }
});

test('an unknown address and an unknown schedule say so, and have a way back', async context => {
  const { page, url, client, faults } = await signedIn(context);
  const schedule = await client.createSchedule({
    ...{ label: 'There', url: `${url}/echo`, verb: 'GET', timezone: 'UTC', interval: '0 0 1 1 *' },
  } as const);
  const answer = await page.goto(`${url}/schedulez/none`);
  assert.equal(answer?.status(), 404);
  await page.getByRole('heading', { level: 1, name: 'Nothing is here' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await assertAccessible(page, 'an unknown address');
  await screenshot(page, 'unknown-address');
  await page.getByRole('link', { name: 'To the overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  const none = `${schedule.id.slice(0, -4)}0000`;
  for (const path of [`/schedules/${none}`, `/schedules/${none}/edit`]) {
    await page.goto(url + path);
    await page.getByText('The address may be cut off').waitFor();
    await assertAccessible(page, path);
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    await page.getByRole('main').getByRole('link', { name: 'Schedules' }).last().click();
    await page.getByRole('link', { name: 'There' }).waitFor();
  }
  // A program that asks for the same address is told in its own language.
  const { status, headers } = await fetch(`${url}/schedulez/none`);
  assert.deepEqual([status, headers.get('content-type')], [404, 'application/json; charset=utf-8']);
  assert.deepEqual(faults, []);
});

test('compact rows are lower, and the browser remembers them', async context => {
  const { page, url, client } = await signedIn(context);
  await client.createSchedules(
    Array.from({ length: 5 }, (_, index) => ({
      label: `Customer ${index}`,
      url: `${url}/echo`,
      verb: 'GET' as const,
      interval: '0 0 1 1 *',
      timezone: 'UTC',
    })),
  );
  await page.goto(`${url}/schedules`);
  const row = page.getByRole('row', { name: 'Customer 3' });
  const height = async () => (await row.boundingBox())!.height;
  await row.waitFor();
  const before = await height();
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Compact rows' }).click();
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  const after = await height();
  assert.ok(after <= before - 8, `${before} px, then ${after} px`);
  await assertAccessible(page, 'compact rows');
  await screenshot(page, 'schedules-compact');
  await page.reload();
  await row.waitFor();
  assert.equal(await height(), after);
});

test('a wide window shows a run beside the list, and both stay in use', async context => {
  const { page, url, client, faults } = await signedIn(context);
  await page.setViewportSize({ width: 1800, height: 900 });
  const schedule = await client.createSchedule({
    ...{ label: 'Wide', url: `${url}/echo`, verb: 'GET', timezone: 'UTC', interval: '0 0 1 1 *' },
  } as const);
  for (let count = 0; count < 2; count += 1) await client.triggerSchedule(schedule.id);
  const succeeded = async () => (await client.listRuns({ status: 'succeeded' })).items;
  await until('two runs', async () => (await succeeded()).length >= 2);
  await page.goto(`${url}/runs`);
  const rows = page.getByRole('row').filter({ hasText: 'succeeded' });
  await rows.nth(1).getByRole('button').first().click();
  const pane = page.locator('section.pane');
  await pane.getByRole('heading', { name: 'Attempt 1' }).waitFor();
  await assertFits(page, 'runs beside a run');
  await assertAccessible(page, 'runs beside a run');
  const [list, beside] = [
    await page.getByRole('table').first().boundingBox(),
    await pane.boundingBox(),
  ];
  assert.ok(list!.x + list!.width <= beside!.x, 'neither covers the other');
  const opened = page.url();
  await rows.nth(0).getByRole('button').first().click();
  await page.waitForURL(next => next.href !== opened);
  await pane.getByRole('heading', { name: 'Attempt 1' }).waitFor();
  await pane.getByRole('button', { name: 'Close' }).press('Escape');
  await pane.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});

test('on a phone the preview of a form comes before its end', async context => {
  const { page, url } = await signedIn(context, { size: 'phone' });
  await page.goto(`${url}/schedules/new`);
  const create = page.getByRole('button', { name: 'Create schedule' });
  const preview = page.getByRole('table', { name: 'The next ten times' });
  await preview.waitFor();
  const [end, before] = [(await create.boundingBox())!.y, (await preview.boundingBox())!.y];
  assert.ok(before < end, `the preview is at ${before}, and the end at ${end}`);
});
