import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PunctualClient } from '@punctual/client';
import type { Locator, Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';
import { until } from './support/until.ts';

const HERD = 150;
/** The page without a cell is in `pages.long.test.ts`, in every look. */
const LOOKS = [{ size: 'phone', colorScheme: 'dark' }] as const;

/** An even load of one firing a second, a herd once an hour, and one schedule by itself. */
async function makeLoad(client: PunctualClient, url: string): Promise<void> {
  const common = { url, verb: 'GET', timezone: 'UTC' } as const;
  const { interval, alone } = intervals();
  await client.createSchedule({ ...common, label: 'Heartbeat', interval: '* * * * * *' });
  await client.createSchedule({ ...common, label: 'Alone', interval: alone });
  await client.createSchedules(
    Array.from({ length: HERD }, (_, index) => ({ ...common, label: `Herd ${index}`, interval })),
  );
}

/** The next full minute of the herd is 20 to 30 minutes off, so that nothing fires while it is looked at. */
function intervals() {
  const minute = (new Date().getUTCMinutes() + 25) % 60;
  return { interval: `${minute} * * * *`, alone: `${(minute + 5) % 60} * * * *` };
}

const grid = (page: Page) => page.getByRole('grid', { name: /^Heat map/ });
const cells = (page: Page) => grid(page).getByRole('gridcell');

test('a cell of the forecast tells who fires in it, by the pointer and by the keys; an even load is calm', async context => {
  const punctual = await startPunctual(context);
  const { client, url, credentials } = punctual;
  await makeLoad(client, `${url}/echo`);
  const browser = await launch();
  context.after(() => browser.close());
  const { context: window, page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/forecast`);
  const herd = cells(page)
    .and(page.getByLabel(/: 210, 150 above the base$/))
    .first();
  await herd.waitFor({ timeout: 60_000 });
  await page.getByText(/Base: 60 firings in a usual minute\./).waitFor();
  // The even load has one quiet shade, the herd the strongest, and one firing more is hardly more.
  const shade = (label: RegExp) =>
    cells(page).and(page.getByLabel(label)).first().getAttribute('fill');
  assert.equal(await shade(/: 60$/), 'var(--heat-1)');
  assert.equal(await shade(/: 210, /), 'var(--heat-5)');
  assert.equal(await shade(/: 61, /), 'var(--heat-1)');

  // By the pointer.
  await herd.click();
  const panel = page.getByRole('region', { name: /: 210 firings$/ });
  await panel.getByText('151 schedules fire then.').waitFor();
  await screenshot(page, 'forecast-cell');
  const who = panel.getByRole('table', { name: 'Who fires' });
  const first = who.getByRole('row', { name: /^Heartbeat/ });
  await first.getByRole('cell', { name: '60', exact: true }).waitFor();
  assert.equal(await who.getByRole('row').count(), 1 + 20);
  await panel.getByRole('button', { name: 'Show 20 more of 151' }).click();
  assert.equal(await who.getByRole('row').count(), 1 + 40);
  // The cell beside it has the even load only.
  const told = (await panel.getByRole('status').elementHandle())!;
  await panel.getByRole('button', { name: 'Later' }).focus();
  await page.keyboard.press('Enter');
  const beside = page.getByRole('region', { name: /: 60 firings$/ });
  await beside.getByText('One schedule fires then.').waitFor();
  // The button keeps the focus, and the sentence is the same element: else nobody is told of it.
  const isFocused = (locator: Locator) =>
    locator.evaluate(element => element === document.activeElement);
  assert.ok(await isFocused(beside.getByRole('button', { name: 'Later' })));
  assert.match((await told.textContent())!, /: 60 firings\. One schedule fires then\.$/);
  await beside.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Enter');
  await beside.waitFor({ state: 'detached' });
  assert.ok(await isFocused(grid(page)));

  // By the keys: one stop, which begins at the busiest cell.
  await page.getByRole('combobox', { name: 'Host' }).focus();
  const active = async () => {
    const id = await grid(page).getAttribute('aria-activedescendant');
    return page.locator(`#${id}`).getAttribute('aria-label');
  };
  await until('the heat map', async () => {
    if (await isFocused(grid(page))) return true;
    await page.keyboard.press('Tab');
    return false;
  });
  assert.match((await active())!, /: 210, /);
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowRight');
  assert.match((await active())!, /: 61, 1 above the base$/);
  await page.keyboard.press('Enter');
  const alone = page.getByRole('region', { name: /: 61 firings$/ });
  await alone.getByRole('link', { name: 'Alone' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  assert.match((await active())!, /: 60$/);
  await page.keyboard.press('Escape');
  await alone.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await alone.getByRole('link', { name: 'Alone' }).click();
  await page.getByRole('heading', { level: 1, name: 'Alone' }).waitFor();

  for (const look of LOOKS) {
    const one = await openWindow(browser, look);
    await share(window, one.context);
    await one.page.goto(`${url}/forecast`);
    const cell = cells(one.page)
      .and(one.page.getByLabel(/: 210, 150 above the base$/))
      .first();
    await cell.click();
    await one.page.getByRole('link', { name: 'Heartbeat' }).waitFor();
    const name = `${look.size}${look.colorScheme === 'dark' ? '-dark' : ''}`;
    await assertAccessible(one.page, `a cell, ${name}`);
    await assertFits(one.page, `a cell, ${name}`);
    await one.context.close();
  }
  assert.deepEqual(faults, []);
});

test('a window is shown with its effect before it is stored, and undone', async context => {
  const punctual = await startPunctual(context);
  const { client, url, credentials } = punctual;
  await makeLoad(client, `${url}/echo`);
  const herd = async () => {
    const first = await client.listSchedules({ label: 'Herd', limit: 100 });
    const { nextCursor: cursor } = first;
    const rest = await client.listSchedules({ label: 'Herd', limit: 100, cursor: cursor! });
    return [...first.items, ...rest.items];
  };
  const withWindow = async () =>
    (await herd()).filter(({ windowSeconds }) => windowSeconds !== undefined).length;
  const browser = await launch();
  context.after(() => browser.close());
  const { context: window, page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/forecast`);
  await cells(page)
    .and(page.getByLabel(/: 210, /))
    .first()
    .click({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Spread 150 schedules…' }).click();
  // The heartbeat fires at each second of the cell: it is even already, and stays.
  const dialog = page.getByRole('dialog', { name: 'Spread 150 schedules over 5 min?' });
  await dialog.getByRole('img', { name: /^Load before: 150 at most at one second/ }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await withWindow(), 0);
  // One is gone before its neighbours are spread: it is told, and stays out of the change and of its undo.
  const [gone] = await herd();

  const advice = page.getByRole('region', { name: 'Advice' });
  const spread = advice.getByRole('button', { name: /^Spread over/ });
  await spread.waitFor({ timeout: 60_000 });
  await client.deleteSchedule(gone!.id);
  await spread.click();
  const advised = page.getByRole('dialog', { name: /^Spread 149 schedules over/ });
  await advised.getByRole('img', { name: /^Load before: 149 at most at one second/ }).waitFor();
  const after = advised.getByRole('img', { name: /^Load after/ });
  const peak = Number(/(\d+) at most/.exec((await after.getAttribute('aria-label'))!)![1]);
  assert.ok(peak > 0 && peak <= 30, `${peak} at one second`);
  // With the one that is gone, or without it: the service counts the load of its client every few seconds.
  await advised.getByText(/^Busiest minute of .*2(09|10) at .* →/).waitFor();
  assert.equal(await advised.getByRole('row').count(), 1 + 5 + 1);
  await screenshot(page, 'forecast-spread');
  for (const look of LOOKS) {
    const one = await openWindow(browser, look);
    await share(window, one.context);
    await one.page.goto(`${url}/forecast`);
    await one.page.getByRole('button', { name: /^Spread over/ }).click({ timeout: 60_000 });
    await one.page.getByRole('img', { name: /^Load after/ }).waitFor();
    const name = `${look.size}${look.colorScheme === 'dark' ? '-dark' : ''}`;
    await assertAccessible(one.page, `the effect, ${name}`);
    await assertFits(one.page, `the effect, ${name}`);
    await one.context.close();
  }
  await advised.getByRole('button', { name: 'Spread', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: '149 schedules spread over' }).waitFor();
  const accepted = advice.getByRole('group', { name: /^Accepted for/ });
  await accepted.getByText(/: 149 schedules are spread over/).waitFor();
  await until('149 windows', async () => (await withWindow()) === HERD - 1);
  // The message has it for ten seconds, the advice for as long as the page is open.
  await accepted.getByRole('button', { name: 'Undo' }).click();
  await until('no windows', async () => (await withWindow()) === 0);
  assert.deepEqual(faults, []);
});
