import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';

const PLACES = ['Overview', 'Schedules', 'Runs', 'Forecast', 'Keys'];

test('every page says that nothing fires, since when and how it is resumed, until it does', async context => {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, punctual.url, punctual.credentials);
  const banner = page.getByRole('alert').filter({ hasText: 'is paused' });
  assert.equal(await banner.count(), 0);

  await punctual.pause();
  await banner.waitFor();
  const { paused } = await punctual.client.getReadiness();
  assert.equal(paused!.by, 'command');
  const since = await page.evaluate(
    `new Date('${paused!.since}').toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })`,
  );
  const text = await banner.innerText();
  assert.match(text, /^Punctual is paused/);
  assert.ok(text.includes(since as string), text);
  assert.match(text, /punctual resume/);
  for (const name of PLACES) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
    assert.equal(await banner.count(), 1, name);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      // The menu of another width is on its way out for a moment.
      await page.goto(punctual.url);
      await page.getByRole('heading', { name: 'Overview', exact: true, level: 1 }).waitFor();
      await banner.waitFor();
      await screenshot(page, `paused-${width}-${colorScheme}`);
      await assertFits(page, `paused, ${width} px, ${colorScheme}`);
      await assertAccessible(page, `paused, ${width} px, ${colorScheme}`);
    }
  }
  await punctual.resume();
  await banner.waitFor({ state: 'detached' });

  await punctual.stop();
  await punctual.startAgain({ PUNCTUAL_PAUSED: 'true' });
  await banner.waitFor();
  assert.match(await banner.innerText(), /^This node is paused\n.*PUNCTUAL_PAUSED/s);
  await punctual.stop();
  await punctual.startAgain();
  await banner.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});
