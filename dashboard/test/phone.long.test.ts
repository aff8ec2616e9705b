import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';

async function aPhone(context: TestContext) {
  const punctual = await startPunctual(context);
  const target = await startTarget(context);
  target.status = 418;
  const { id } = await punctual.client.createSchedule({
    url: target.url,
    verb: 'POST',
    interval: '0 0 1 1 *',
    timezone: 'UTC',
    label: 'Broken',
  });
  await punctual.client.triggerSchedule(id);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser, { size: 'phone' });
  await signIn(page, punctual.url, punctual.credentials);
  return { ...punctual, id, page, faults };
}

test('on a phone a schedule begins with its last failure and its next times', async context => {
  const { url, id, page, faults } = await aPhone(context);
  await page.goto(`${url}/schedules/${id}`);
  const last = page.getByRole('region', { name: 'The last run' });
  await last.getByText('failed', { exact: true }).waitFor();
  await last.getByText('418').waitFor();
  const titles = await page.locator('.duo h2').allInnerTexts();
  assert.deepEqual(titles.slice(0, 3), ['The last run', 'Next times', 'Runs']);
  await assertAccessible(page, 'a schedule on a phone');
  await assertFits(page, 'a schedule on a phone');
  await screenshot(page, 'schedule-broken-phone');
  await last.getByRole('button', { name: 'Show the run' }).click();
  await page.waitForURL(/run=/);
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  // A wide window has the timeline first, and a line above it for the last run.
  await page.setViewportSize({ width: 1280, height: 800 });
  await last.waitFor({ state: 'detached' });
  assert.match((await page.locator('.duo h2').allInnerTexts())[0]!, /^Timeline/);
  const line = page.locator('.last-run');
  await line.getByText('failed', { exact: true }).waitFor();
  await line.getByText('418').waitFor();
  await line.getByRole('button', { name: 'Show the run' }).click();
  await page.waitForURL(/run=/);
  assert.deepEqual(faults, []);
});

test('on a phone the filters of runs are behind one button, which says how many are set', async context => {
  const { url, page, faults } = await aPhone(context);
  await page.goto(`${url}/runs`);
  const row = page.getByRole('link', { name: 'Broken' });
  await row.waitFor();
  assert.equal(await page.getByLabel('Status', { exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Filters', exact: true }).click();
  await page.getByLabel('Status', { exact: true }).selectOption('failed');
  await page.getByLabel('Answered status').fill('404');
  await page.getByText('No run matches').waitFor();
  await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
  await assertAccessible(page, 'the filters on a phone');
  await assertFits(page, 'the filters on a phone');
  await screenshot(page, 'run-filters-phone');
  await page.reload();
  await page.getByRole('button', { name: 'Filters (2)' }).click();
  await page.getByRole('button', { name: 'Show all' }).click();
  await row.waitFor();
  await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
  assert.deepEqual(faults, []);
});
