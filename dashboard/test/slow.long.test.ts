import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';

/** A bad line: 400 kbit/s, and 600 ms there and back. */
const SLOW = {
  offline: false,
  latency: 600,
  downloadThroughput: 50_000,
  uploadThroughput: 50_000,
};

test('on a line of 400 kbit/s the pages come, hear what happens, and lose nothing', async context => {
  const { url, client, credentials } = await startPunctual(context);
  const target = await startTarget(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  page.context().setDefaultTimeout(60_000);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW);
  await signIn(page, url, credentials);
  const { id } = await client.createSchedule({
    label: 'Over a bad line',
    url: target.url,
    verb: 'POST',
    interval: '0 0 1 1 *',
    timezone: 'UTC',
  });
  await page.goto(`${url}/runs`);
  await page.getByText('Nothing has run yet').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await client.triggerSchedule(id);
  await page.getByRole('link', { name: 'Over a bad line' }).waitFor();
  assert.equal(await page.getByText('The connection to Punctual is lost').count(), 0);
  // A filter that is typed letter by letter has the answer to the last one.
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Host').pressSequentially(new URL(target.url).host, { delay: 50 });
  await page.waitForURL(/host=127/);
  await page.getByRole('link', { name: 'Over a bad line' }).waitFor();
  await page.getByLabel('Host').fill('elsewhere.example');
  // Until then the rows say that they answer another question.
  const old = page.locator('.old[aria-busy=true]');
  await old.getByRole('link', { name: 'Over a bad line' }).waitFor();
  await page.getByText('No run matches').waitFor();
  assert.deepEqual(faults, []);
});
