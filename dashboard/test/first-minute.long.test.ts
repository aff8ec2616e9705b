import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { PunctualClient } from '../../client/src/index.ts';
import { emptyFolder } from '../../server/test/support/service/command.ts';
import {
  assertAccessible,
  assertFits,
  closeMessage,
  launch,
  openWindow,
  screenshot,
} from './support/browser.ts';
import { until } from './support/until.ts';

/** From the link that `punctual dev` prints to a success, a retry, a failure and a timeout, and back. */

async function startDev(context: TestContext) {
  const service = await emptyFolder(context).start(['dev'], /Ctrl\+C/, { PORT: '0' });
  const [link, url] = /(http:\/\/127\.0\.0\.1:\d+)\/#sign-in=\S+/.exec(service.out())!;
  const [, clientId] = /ClientId: +(\S+)/.exec(service.out())!;
  const [, apiKey] = /ApiKey: +(\S+)/.exec(service.out())!;
  const client = new PunctualClient({ baseUrl: url!, clientId: clientId!, apiKey: apiKey! });
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await page.goto(link);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  return { service, link, url: url!, client, browser, page, faults };
}

test('the printed link signs in once, and says so the second time', async context => {
  const { service, link, url, browser, page, faults } = await startDev(context);
  assert.equal(page.url(), `${url}/`);
  const late = await openWindow(browser);
  await late.page.goto(link);
  const refusal = late.page.getByRole('alert');
  await refusal.waitFor();
  assert.match(await refusal.innerText(), /has signed in once, or is too old\./);
  assert.equal(late.page.url(), `${url}/`);
  await assertAccessible(late.page, 'a link that was used');
  await screenshot(late.page, 'link-used');
  await late.context.close();

  assert.deepEqual(faults, []);
  await service.stop();
});

test('Show me shows a success, a retry, a failure and a timeout, and can be undone', async context => {
  const { service, url, client, page, faults } = await startDev(context);
  const own = { verb: 'GET', timezone: 'UTC', interval: '@yearly', label: 'Mine' } as const;
  const mine = { ...own, url: `${url}/sample/healthy`, tags: { sample: 'show-me' } };
  await screenshot(page, 'first-minute-empty');
  await page.getByRole('button', { name: 'Show me' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
  const steps = page.getByRole('region', { name: 'First steps' });
  const done = (text: string) => steps.getByRole('link', { name: `${text}, done`, exact: true });
  await done('Make a schedule').waitFor();
  await client.createSchedule(mine);

  await done('Have a run succeed').waitFor({ timeout: 40_000 });
  await done('Have a run fail: it says why').waitFor({ timeout: 40_000 });
  const rows = page.getByRole('row');
  const row = (name: string) => rows.filter({ hasText: `Show me: ${name}` });
  await row('hanging').getByText('no answer').waitFor();
  await until('a success and a failure after a retry', async () => {
    const { items } = await client.listRuns({ limit: 100 });
    const isSeen = (status: string, attempts: number) =>
      items.some(run => run.status === status && run.attempts.length === attempts);
    return isSeen('succeeded', 2) && isSeen('failed', 2);
  });
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 375],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 812 });
    // The menu of another width is on its way out for a moment.
    await page.reload();
    await steps.waitFor();
    await row('healthy').waitFor();
    await screenshot(page, `first-minute-${width}`);
    await assertFits(page, `first minute, ${width} px`);
    await assertAccessible(page, `first minute, ${width} px, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 1280, height: 812 });

  await done('Have a run fail: it says why').click();
  await page
    .getByText(/The time limit of 3 s passed/)
    .first()
    .waitFor();
  await screenshot(page, 'first-minute-why');
  await page.goBack();

  await client.createKey({ name: 'program' });
  await done('Make a key for your program').waitFor();
  await page.getByRole('button', { name: 'Hide the first steps' }).click();
  await steps.waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'content', 'the focus stays on the page');
  await page.reload();
  await page.getByRole('button', { name: 'Remove the samples' }).click();
  await page.getByRole('button', { name: 'Remove the samples' }).waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'content', 'the focus stays on the page');
  await closeMessage(page, '3 schedules deleted.');
  await row('healthy').waitFor({ state: 'detached' });
  await until('one schedule alone', async () => (await client.listSchedules()).items.length === 1);
  assert.equal((await client.listSchedules()).items[0]!.label, 'Mine');
  assert.equal(await steps.count(), 0);
  assert.deepEqual(faults, []);
  await service.stop();
});

test('samples that were just removed are made again at once', async context => {
  const { service, client, page, faults } = await startDev(context);
  const show = page.getByRole('button', { name: 'Show me', exact: true });
  await show.click();
  const remove = page.getByRole('button', { name: 'Remove the samples' });
  await remove.waitFor();
  const before = (await client.listSchedules()).items.map(({ id }) => id);
  assert.equal(before.length, 3);
  // The pointer leaves the list, whose rows are held under it.
  await remove.focus();
  await page.mouse.move(0, 0);
  await page.keyboard.press('Enter');
  await show.focus();
  await page.keyboard.press('Enter');
  await remove.waitFor();
  const { items } = await client.listSchedules();
  assert.equal(items.length, 3);
  assert.deepEqual(
    items.filter(({ id }) => before.includes(id)),
    [],
  );
  assert.deepEqual(faults, []);
  await service.stop();
});

function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.id');
}
