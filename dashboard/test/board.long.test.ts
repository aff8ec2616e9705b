import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { ScheduleInput } from '@punctual/client';
import type { Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';

async function aWindow(context: TestContext) {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser);
  // Counts are made on threads that give way to all others of a busy machine.
  window.context.setDefaultTimeout(60_000);
  await signIn(window.page, punctual.url, punctual.credentials);
  return { ...punctual, ...window, browser };
}

const yearly = (url: string, index: number): ScheduleInput => ({
  label: `Customer ${index}`,
  url: `${url}?customer=${index}`,
  verb: 'GET',
  interval: '0 0 1 1 *',
  timezone: 'UTC',
});

/** Asks again until it holds; the test's own time limit ends it. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(200);
}

const rows = (page: Page) => page.locator('tbody tr');

test('the board shows what is broken, sorts it to the top, and nothing moves under the pointer', async context => {
  const { page, client, url, faults, browser, context: first } = await aWindow(context);
  const target = await startTarget(context);
  target.status = 500;
  const everySecond = { verb: 'GET', interval: '* * * * * *', timezone: 'UTC' } as const;
  const policy = { maxRetries: 0 };
  await client.createSchedules([
    { ...everySecond, label: 'Broken', url: target.url, policy, tags: { team: 'print' } },
    { ...everySecond, label: 'Healthy', url: `${url}/echo`, tags: { team: 'print' } },
    { ...yearly(`${url}/echo`, 1), label: 'Yearly' },
  ]);
  const isBroken = async () => {
    const { items } = await client.listHealth({ sort: 'worst' });
    return items[0]!.recent.filter(({ status }) => status === 'failed').length >= 3;
  };
  await until(isBroken);
  await page.goto(`${url}/schedules`);
  await page.getByText('3 schedules', { exact: true }).waitFor();
  await rows(page).first().getByText('Yearly').waitFor();
  await page.getByRole('button', { name: 'Last 30' }).click();
  const broken = rows(page).first();
  await broken.getByRole('link', { name: 'Broken' }).waitFor();
  assert.match(page.url(), /sort=worst/);
  await broken.getByText(/in a row/).waitFor();
  await broken.getByText(/^500, /).waitFor();
  await broken.getByRole('img', { name: /^Last \d+: \d+ failed/ }).waitFor();
  await broken.getByText(/^0 %$/).waitFor();
  await rows(page).filter({ hasText: 'Healthy' }).getByText('100 %').waitFor();
  await screenshot(page, 'board-desktop');
  await assertAccessible(page, 'the board');

  // Pointed at, rows stay, though the next to fire changes each second.
  await page.getByLabel('Order').selectOption('next');
  await rows(page).last().getByText('Yearly').waitFor();
  // Rows of the order before stand there until those of this one have come.
  await page.locator('[aria-busy=false] tbody tr').nth(2).waitFor();
  await rows(page).nth(1).hover();
  const names = await rows(page).locator('.link').allTextContents();
  const newest = rows(page).first().locator('.strip title').first();
  const before = await newest.textContent();
  await page.waitForFunction(
    title => document.querySelector('tbody .strip title')?.textContent !== title,
    before,
  );
  assert.deepEqual(await rows(page).locator('.link').allTextContents(), names);
  await page.mouse.move(5, 5);

  // Groups, and the browser's Back.
  await page.getByLabel('Groups').selectOption('tag');
  await page.getByRole('button', { name: /^team:print\s2$/ }).click();
  await page.getByText('2 schedules', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^team:print\s2$/ }).click();
  await page.getByText('3 schedules', { exact: true }).waitFor();

  // A view is kept under a name, and opened by it.
  await page.getByLabel('Order').selectOption('worst');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Keep or forget a view…' }).click();
  await page.getByLabel('Name of this view').fill('My worst');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.goto(`${url}/schedules`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'My worst' }).click();
  await rows(page).first().getByRole('link', { name: 'Broken' }).waitFor();
  assert.match(page.url(), /sort=worst/);

  for (const [width, height, colorScheme] of [
    [375, 800, 'light'],
    [768, 1_024, 'dark'],
    [2_560, 1_300, 'light'],
  ] as const) {
    const other = await openWindow(browser, { colorScheme });
    other.context.setDefaultTimeout(60_000);
    await share(first, other.context);
    await other.page.setViewportSize({ width, height });
    await other.page.goto(`${url}/schedules?sort=worst&by=tag`);
    await other.page.getByRole('link', { name: 'Broken' }).waitFor();
    await screenshot(other.page, `board-${width}`);
    await assertFits(other.page, `the board, ${width}`);
    await assertAccessible(other.page, `the board, ${width}, ${colorScheme}`);
    await other.context.close();
  }
  assert.deepEqual(faults, []);
});

test('a change of all that match tells its progress, a failure in the middle says what was done, and it is undone', async context => {
  const { page, client, url, faults } = await aWindow(context);
  const many = Array.from({ length: 2_300 }, (_, index) => yearly(`${url}/echo`, index));
  for (let at = 0; at < many.length; at += 500) {
    await client.createSchedules(many.slice(at, at + 500));
  }
  const [paused] = (await client.listSchedules({ label: 'Customer 2299' })).items;
  await client.patchSchedule(paused!.id, { status: 'disabled' });
  const countOf = async (status: 'enabled' | 'disabled') =>
    (await client.listHealth({ status, limit: 1 })).total.count;
  const untilCount = (status: 'enabled' | 'disabled', count: number) =>
    until(async () => (await countOf(status)) === count);

  await page.goto(`${url}/schedules?label=customer`);
  await page.getByText('2,300 schedules', { exact: true }).waitFor();
  await page.getByLabel('Pick all of this page').check();
  const bar = page.getByRole('toolbar', { name: 'For the picked schedules' });
  await bar.getByText('50 picked').waitFor();
  await bar.getByRole('button', { name: 'Pick all 2,300 that match' }).click();
  await bar.getByText('All 2,300 schedules that match').waitFor();
  await assertAccessible(page, 'all that match are picked');

  // The second thousand is refused.
  let patches = 0;
  await page.route('**/v1/schedule/patch', route => {
    patches += 1;
    return patches === 2
      ? route.fulfill({ status: 503, json: { error: 'Try it later.' } })
      : route.continue();
  });
  await bar.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/1,000 schedules were paused, 1,299 were not\. Try it later\./).waitFor();
  const undo = page.getByRole('alert').getByRole('button', { name: 'Undo' });
  // The message goes after ten seconds, and a count is kept longer where it took long. The focus holds the message.
  await undo.focus();
  await untilCount('disabled', 1_001);
  await undo.click();
  await untilCount('disabled', 1);

  // Now all of them are paused; the one that was paused before stays so after the undo.
  await page.unroute('**/v1/schedule/patch');
  await page.getByLabel('Pick all of this page').check();
  await bar.getByRole('button', { name: 'Pick all 2,300 that match' }).click();
  await bar.getByRole('button', { name: 'Pause' }).click();
  const paused2299 = page.getByRole('alert').filter({ hasText: '2,299 schedules paused.' });
  await paused2299.getByRole('button', { name: 'Undo' }).focus();
  await untilCount('disabled', 2_300);
  await paused2299.getByRole('button', { name: 'Undo' }).click();
  await untilCount('disabled', 1);
  assert.equal((await client.getSchedule(paused!.id)).status, 'disabled');

  // Cancelled while they are read, nothing is changed.
  await page.route('**/v1/schedule?*', async route => {
    await page.getByRole('button', { name: 'Cancel' }).click();
    await route.continue();
  });
  await page.getByLabel('Pick all of this page').check();
  await bar.getByRole('button', { name: 'Pick all 2,300 that match' }).click();
  await bar.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('No schedule was to be paused.').waitFor();
  assert.equal(await countOf('disabled'), 1);
  assert.deepEqual(faults, []);
});

test('of ten thousand schedules each is found by pages, by its label and by Back', async context => {
  const { page, client, url, faults } = await aWindow(context);
  for (let made = 0; made < 10_100; made += 1_000) {
    const count = Math.min(1_000, 10_100 - made);
    await client.createSchedules(
      Array.from({ length: count }, (_, index) => yearly('https://example.com/', made + index)),
    );
  }
  await page.goto(`${url}/schedules?sort=worst`);
  await page.getByText('10,100 schedules', { exact: true }).waitFor();
  const older = page.getByRole('button', { name: 'Older' });
  const seen = new Set<string>();
  for (let shown = 1; shown <= 4; shown += 1) {
    await page.getByText(`Page ${shown}`, { exact: true }).waitFor();
    await page.locator('[aria-busy=false] tbody tr').nth(49).waitFor();
    for (const name of await rows(page).locator('.link').allTextContents()) seen.add(name);
    if (shown < 4) await older.click();
  }
  assert.equal(seen.size, 200, 'each row once');
  const third = rows(page).nth(2).locator('.link');
  const name = (await third.textContent())!;
  await third.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.goBack();
  await page.getByText('Page 4', { exact: true }).waitFor();
  await page.getByRole('link', { name, exact: true }).waitFor();
  await page.getByLabel('Label contains').fill('Customer 9999');
  await page.getByText('1 schedule', { exact: true }).waitFor();
  await page.getByLabel('Label contains').fill('customer');
  await page.getByText('10,000+ schedules', { exact: true }).waitFor();
  assert.deepEqual(faults, []);
});
