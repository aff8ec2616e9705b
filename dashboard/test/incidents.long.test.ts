import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Run } from '@punctual/client';
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
import { until } from './support/until.ts';

async function aWindow(context: TestContext) {
  const punctual = await startPunctual(context);
  const target = await startTarget(context);
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser);
  window.context.setDefaultTimeout(40_000);
  await signIn(window.page, punctual.url, punctual.credentials);
  const create = (label: string, fields = {}) =>
    punctual.client.createSchedule({
      label,
      url: target.url,
      verb: 'POST',
      interval: '0 0 1 1 *',
      timezone: 'UTC',
      policy: { maxRetries: 0 },
      ...fields,
    });
  /** Runs it now, and waits for its end. */
  const run = async (id: string): Promise<Run> => {
    const { id: runId } = await punctual.client.triggerSchedule(id);
    for (;;) {
      const found = await punctual.client.getRun(runId);
      if (found.finishedAt !== undefined) return found;
    }
  };
  return { ...punctual, ...window, browser, target, create, run };
}

/** Waits for exactly this number of rows. */
async function hasRows(page: Page, count: number): Promise<void> {
  const rows = page.locator('tbody tr');
  await rows.nth(count).waitFor({ state: 'detached' });
  await rows.nth(count - 1).waitFor();
}

async function hasTitle(page: Page, title: string): Promise<void> {
  await until(`the title ${title}`, async () => (await page.title()) === title);
}

test('an outage is told where one looks first, and what failed is sent again', async context => {
  const { page, url, target, create, run, client, browser, faults, ...window } =
    await aWindow(context);
  const schedules = [await create('Invoices'), await create('Reports'), await create('Mails')];
  target.status = 503;
  for (const { id } of schedules) assert.equal((await run(id)).status, 'failed');
  await run(schedules[0]!.id);
  const host = new URL(url).hostname;

  // The overview, its title and its icon.
  await page.goto(url);
  const card = page.getByRole('region', { name: 'An open incident' });
  await card.getByText(/answered 503: 4 runs of 3 schedules failed/).waitFor();
  await hasTitle(page, '(1) Overview · Punctual');
  const icon = page.locator('link[rel=icon]');
  assert.match((await icon.getAttribute('href'))!, /trouble/);
  await assertAccessible(page, 'an overview with an incident');
  await page.getByRole('link', { name: '4: show Failed' }).click();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  assert.match(page.url(), /status=failed/);
  await hasRows(page, 4);
  await page.getByRole('link', { name: 'Invoices' }).first().waitFor();

  // The page of incidents, and the runs of one.
  await page.getByRole('link', { name: 'Incidents 1 open' }).click();
  await page.getByText(/answered 503: 4 runs of 3 schedules failed/).waitFor();
  await page
    .getByText('Invoices (2)')
    .or(page.getByRole('link', { name: 'Invoices' }))
    .first()
    .waitFor();
  await assertAccessible(page, 'incidents');
  await screenshot(page, 'incidents-desktop');
  const phone = await openWindow(browser, { size: 'phone', colorScheme: 'dark' });
  await share(window.context, phone.context);
  await phone.page.goto(`${url}/incidents`);
  await phone.page
    .getByText(/answered 503/)
    .first()
    .waitFor();
  await assertFits(phone.page, 'incidents on a phone');
  await assertAccessible(phone.page, 'incidents on a phone, dark');
  await phone.context.close();
  await page.getByRole('link', { name: new RegExp(`^Show 4 runs: 503 from ${host}`) }).click();
  await page.waitForURL(/cause=status/);
  await hasRows(page, 4);
  await page.goBack();

  // It is stopped from here; an undo enables those that were enabled.
  const statuses = async () =>
    (await client.listSchedules()).items
      .map(({ status }) => status)
      .sort()
      .join();
  await client.patchSchedule(schedules[2]!.id, { status: 'disabled' });
  await page.getByRole('button', { name: /^Pause 3 schedules: 503/ }).click();
  await page.getByText('2 schedules paused.').waitFor();
  await until('all are paused', async () => (await statuses()) === 'disabled,disabled,disabled');
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('two go on', async () => (await statuses()) === 'disabled,enabled,enabled');
  await client.patchSchedule(schedules[2]!.id, { status: 'enabled' });

  // Asked before it begins: how many. Once per schedule, and once per failed run.
  target.status = 200;
  const before = target.arrivals.length;
  await page.getByRole('button', { name: /^Send again…: 503/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Send again all that failed' });
  await dialog.getByText('4 runs of 3 schedules failed or were missed. 3 requests').waitFor();
  await assertAccessible(page, 'the question before it is sent again');
  await dialog.getByText('Once per failed run').click();
  await dialog.getByText(/4 requests in about/).waitFor();
  await dialog.getByText('Once per schedule').click();
  await dialog.getByLabel('Requests a minute').fill('600');
  await dialog.getByRole('button', { name: 'Send 3 requests' }).click();
  await page.getByText('Sent again: 3 of 3 sent, 3 succeeded.').waitFor();
  assert.equal(target.arrivals.length - before, 3);
  await assertAccessible(page, 'what was sent again');
  await page
    .getByRole('region', { name: 'Sending again' })
    .getByRole('button', { name: 'Close' })
    .click();

  // It is over when each of them has succeeded again.
  await page.getByText(/^over after/).waitFor();
  await page.getByText(/It was over at .*, when all schedules had succeeded again/).waitFor();
  await hasTitle(page, 'Incidents · Punctual');
  assert.doesNotMatch((await icon.getAttribute('href'))!, /trouble/);
  assert.equal((await client.incidents()).items.filter(({ isOpen }) => isOpen).length, 0);
  assert.deepEqual(faults, []);
});

test('sending again goes on while other pages are looked at, and ends when it is cancelled', async context => {
  const { page, url, target, create, run, faults } = await aWindow(context);
  target.status = 500;
  for (const label of ['One', 'Two']) await run((await create(label)).id);
  const third = await create('Three');
  await page.goto(`${url}/incidents`);
  const sendAgain = page.getByRole('button', { name: 'Send again all that failed…' });
  await sendAgain.waitFor();
  // What failed within this second is among all that failed.
  await run(third.id);
  target.status = 200;
  const before = target.arrivals.length;
  await sendAgain.click();
  const dialog = page.getByRole('dialog', { name: 'Send again all that failed' });
  await dialog.getByLabel('Requests a minute').fill('1');
  await dialog.getByRole('button', { name: 'Send 3 requests' }).click();
  await page.getByText(/Sending again: 1 of 3 sent/).waitFor();
  await page.getByRole('link', { name: 'Forecast' }).click();
  await page.getByRole('heading', { name: 'Forecast' }).waitFor();
  const region = page.getByRole('region', { name: 'Sending again' });
  await region.getByText(/1 succeeded/).waitFor();
  await region.getByRole('button', { name: 'Cancel the rest' }).click();
  await region.getByText('Cancelled: 1 of 3 sent, 1 succeeded.').waitFor();
  assert.equal(target.arrivals.length - before, 1);
  assert.deepEqual(faults, []);
});

test('runs are found by schedule, host, answered status and error', async context => {
  const { page, url, target, create, run, faults } = await aWindow(context);
  const one = await create('Alpha');
  const two = await create('Beta', { url: `${url}/echo`, verb: 'GET' });
  await run(one.id);
  target.status = 418;
  await run(one.id);
  await run(two.id);
  await page.goto(`${url}/runs`);
  const rows = page.locator('tbody tr');
  await page.getByRole('link', { name: 'Beta' }).waitFor();
  assert.equal(await rows.count(), 3);
  const isCount = (count: number) => hasRows(page, count);
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Host').fill(new URL(target.url).host);
  await isCount(2);
  await page.getByLabel('Answered status').fill('418');
  await isCount(1);
  await assertAccessible(page, 'runs with all filters');
  await page.reload();
  await isCount(1);
  await page.getByRole('button', { name: 'Show all' }).click();
  await isCount(3);
  await page.getByLabel('Error contains').fill('ANSWERED 418');
  await isCount(1);
  await page.getByLabel('Error contains').fill('');
  await isCount(3);
  await page.getByRole('combobox', { name: 'Schedule' }).fill('bet');
  await page.getByRole('option', { name: 'Beta' }).click();
  await isCount(1);
  assert.match(page.url(), new RegExp(`scheduleId=${two.id}`));
  assert.deepEqual(faults, []);
});
