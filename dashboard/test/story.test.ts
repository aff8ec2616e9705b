import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, launch, openWindow, screenshot, signIn } from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';

test('a new user who only reads the screen schedules a cURL command, sees it fail, and sends it again', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);

  await page.goto(punctual.url);
  await page.getByRole('heading', { name: 'Sign in to Punctual' }).waitFor();
  await screenshot(page, 'story-1-sign-in');
  await signIn(page, punctual.url, punctual.credentials);

  // Nothing is there yet, and the page says how to begin.
  await page.getByText('Nothing is scheduled yet').waitFor();
  await page.getByRole('link', { name: 'Make the first schedule' }).click();
  const command = `curl -X POST ${target.url} -H 'X-Token: s3cret' --json '{"pages":"2"}'`;
  await page.getByLabel('Paste a request to fill this in').fill(command);
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText('The form is filled in.').waitFor();
  assert.equal(await page.getByLabel(/^Url/).inputValue(), target.url);

  // A mistake is told in the service's own words, where it belongs.
  await page.getByLabel('Interval').fill('*/10 * * * * 9');
  await page
    .getByText(/day of week/)
    .last()
    .waitFor();
  await page.getByLabel('Interval').fill('*/10 * * * * *');
  await page.getByText('Every 10 seconds.').waitFor();
  await page.getByLabel('Label').fill('Print the invoices');
  await page.getByRole('button', { name: 'Send a test request' }).click();
  await page.getByText('status 200').waitFor();
  assert.equal(target.arrivals[0]?.body, '{"pages":"2"}');
  assert.equal(target.arrivals[0]?.headers['x-token'], 's3cret');
  assert.deepEqual((await punctual.client.listSchedules()).items, [], 'nothing is stored yet');
  await screenshot(page, 'story-2-form');
  await assertAccessible(page, 'the form with an answer');
  await page.getByRole('button', { name: 'Create schedule' }).click();

  // It fires. The pointer rests on no list, which would hold its rows.
  await page.mouse.move(0, 0);
  await page.getByRole('heading', { name: /Print the invoices/ }).waitFor();
  const runs = page.getByRole('region', { name: 'Runs' });
  await runs.getByText('succeeded').first().waitFor();
  await screenshot(page, 'story-3-fires');

  // The target breaks: it is tried again, and fails with the reason.
  target.status = 500;
  await runs.getByText('retrying').first().waitFor();
  await screenshot(page, 'story-4-retrying');
  await runs.getByText('failed').first().waitFor();
  const failed = runs.getByRole('row', { name: /failed/ }).first();
  await failed.getByRole('button').click();
  const drawer = page.getByRole('dialog', { name: 'Run' });
  await drawer.getByRole('heading', { name: 'Attempt 2' }).waitFor();
  await drawer.getByText('The target answered 500.').first().waitFor();
  await drawer.getByText('out of ink').first().waitFor();
  await screenshot(page, 'story-5-failed');
  await assertAccessible(page, 'a failed run');

  // It is mended, and the run is sent again.
  target.status = 200;
  await drawer.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('1 run sent again.').waitFor();
  await drawer.getByRole('button', { name: 'Close' }).click();
  await runs
    .getByRole('row', { name: /succeeded.*by hand/ })
    .first()
    .waitFor();
  await screenshot(page, 'story-6-sent-again');

  // Why did it not run before it was made? A click on the empty beginning of the timeline asks.
  await page.getByRole('img', { name: /^Timeline from/ }).click({ position: { x: 6, y: 30 } });
  const why = page.getByRole('region', { name: 'Why did it run, or not?' });
  await why.getByText(/The schedule was created later, at/).waitFor();

  // And why did it fail? That time is in the middle of the timeline.
  const { items } = await punctual.client.listRuns({ status: 'failed' });
  const { scheduleId, scheduledFor } = items.at(-1)!;
  const view = new URLSearchParams({ at: scheduledFor, span: '120' });
  await page.goto(`${punctual.url}/schedules/${scheduleId}?${view}`);
  const line = page.getByRole('img', { name: /^Timeline from/ });
  const { width, height } = (await line.boundingBox())!;
  await line.click({ position: { x: width / 2, y: height / 2 } });
  await why.getByText(/and failed: the target answered 500\./).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await screenshot(page, 'story-7-explained');
  assert.deepEqual(faults, []);
});
