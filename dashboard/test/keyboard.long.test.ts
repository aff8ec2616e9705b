import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertAccessible, launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';
import { until } from './support/until.ts';

/** Everything by keyboard: no test here touches a pointer. */

async function signedIn(context: TestContext) {
  const punctual = await startPunctual(context);
  const { url, client, credentials } = punctual;
  const items = ['Alpha', 'Beta', 'Gamma'].map(label => ({
    label,
    url: `${url}/echo?of=${label}`,
    verb: 'GET' as const,
    interval: '0 0 1 1 *',
    timezone: 'UTC',
  }));
  const created = (await client.createSchedules(items)).items;
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser);
  await signIn(window.page, url, credentials);
  const { page } = window;
  const press = (key: string) => page.keyboard.press(key);
  const field = page.getByRole('combobox', { name: 'Go to anything' });
  const openPalette = async () => {
    await press('Control+K');
    await field.waitFor();
    await page.locator('[role=combobox]:focus').waitFor();
  };
  /** To an entry of the palette, by what one types. */
  const goTo = async (text: string, name = text) => {
    await openPalette();
    await page.keyboard.type(text);
    await page.locator('[data-combobox-selected]', { hasText: name }).waitFor();
    await press('Enter');
    await field.waitFor({ state: 'detached' });
  };
  return { ...punctual, ...window, created, press, openPalette, goTo };
}

test('all pages, schedules by their names and ids, and runs by their ids, are reached from the keyboard', async context => {
  const { page, client, created, press, openPalette, goTo, faults } = await signedIn(context);
  const menu = page.getByRole('navigation').first().getByRole('link');
  const texts = (await menu.allTextContents()).map(text => text.trim());
  const names = texts.filter(text => text !== 'API reference');
  for (const name of ['Timeline', 'Incidents', 'Wall', 'Keys']) assert.ok(names.includes(name));
  for (const name of names) {
    await goTo(name);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await goTo('bet', 'Beta');
  await page.getByRole('heading', { level: 1, name: 'Beta' }).waitFor();
  // By its url, and by its id.
  await goTo('of=Gam', 'Gamma');
  await page.getByRole('heading', { level: 1, name: 'Gamma' }).waitFor();
  await goTo(created[0]!.id, 'Alpha');
  await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor();
  const run = await client.triggerSchedule(created[0]!.id);
  await goTo(run.id, 'The run of');
  await page.getByRole('dialog', { name: 'Run' }).waitFor();
  await press('Escape');
  await page.getByRole('dialog', { name: 'Run' }).waitFor({ state: 'detached' });

  await openPalette();
  await page.keyboard.type('nothing has this name');
  await page.getByText('Nothing has that name.').waitFor();
  await assertAccessible(page, 'the palette, empty');
  await press('Control+A');
  await page.keyboard.type('a');
  await page.getByRole('option', { name: 'Alpha' }).waitFor();
  await assertAccessible(page, 'the palette');
  await press('Escape');
  await goTo('new', 'New schedule');
  await page.getByRole('heading', { level: 1, name: 'New schedule' }).waitFor();
  assert.deepEqual(faults, []);
});

test('rows are walked, picked, paused, run and edited by single keys, which can be switched off', async context => {
  const { page, client, press, goTo, faults } = await signedIn(context);
  const focused = () => page.evaluate('document.activeElement.textContent');
  const statuses = async () =>
    (await client.listSchedules()).items.map(({ label, status }) => `${label} ${status}`).sort();
  const untilIs = (place: number, status: string) =>
    until(status, async () => (await statuses())[place] === status);
  // The overview names them too.
  const toSchedules = async () => {
    await goTo('Schedules');
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    await page.getByRole('table').getByRole('link', { name: 'Alpha' }).waitFor();
  };
  await toSchedules();
  await press('j');
  assert.equal(await focused(), 'Gamma');
  await press('j');
  assert.equal(await focused(), 'Beta');
  await press('k');
  await press('k');
  assert.equal(await focused(), 'Gamma', 'the first row stays');
  await press('j');
  await press('x');
  await page.getByRole('status').filter({ hasText: 'Beta is picked.' }).waitFor();
  await page.getByText('1 picked').waitFor();
  await press('x');
  await page.getByText('1 picked').waitFor({ state: 'detached' });

  await press('p');
  await page.getByText('1 schedule paused.').waitFor();
  await untilIs(1, 'Beta disabled');
  await press('Control+Z');
  await untilIs(1, 'Beta enabled');
  await press('r');
  await page.getByText('It runs now.').waitFor();
  assert.equal((await client.listRuns()).items.length, 1);
  await press('e');
  await page.getByRole('heading', { level: 1, name: 'Edit schedule' }).waitFor();
  assert.equal(await page.getByLabel('Label').inputValue(), 'Beta');
  // Whoever types types.
  await page.getByLabel('Label').focus();
  await press('End');
  await page.keyboard.type('jkxpre?/n');
  assert.equal(await page.getByLabel('Label').inputValue(), 'Betajkxpre?/n');
  assert.equal((await client.listRuns()).items.length, 1);

  // The search, and the keys of a schedule's own page.
  await toSchedules();
  await press('/');
  await page.keyboard.type('alp');
  await page.getByRole('link', { name: 'Beta' }).waitFor({ state: 'detached' });
  // Out of the fields of the search, in which keys are letters.
  const isInField = () => page.evaluate('document.activeElement.matches("input, select")');
  while (await isInField()) await press('Tab');
  await press('j');
  await press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor();
  await press('p');
  await page.getByText('1 schedule paused.').waitFor();
  await untilIs(0, 'Alpha disabled');

  // All of them are told, and those without Ctrl are switched off.
  await press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  await help.getByText('Pause or resume').waitFor();
  await assertAccessible(page, 'the keys');
  const alone = help.getByRole('switch', { name: 'Keys that act alone' });
  await alone.focus();
  await press('Space');
  await press('Escape');
  await help.waitFor({ state: 'detached' });
  await press('e');
  await press('?');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor();
  await press('e');
  await press('?');
  await press('Control+K');
  await page.getByRole('combobox', { name: 'Go to anything' }).waitFor();
  assert.match(page.url(), /\/schedules\/[^/]+$/);
  assert.equal(await help.count(), 0);
  assert.deepEqual(faults, []);
});
