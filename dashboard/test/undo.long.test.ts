import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { PunctualClient } from '../../client/src/index.ts';
import { assertAccessible, launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';
import { until } from './support/until.ts';

/** Actions are on the screen at once, and can be undone for ten seconds. */

async function aList(context: TestContext, labels: string[]) {
  const punctual = await startPunctual(context);
  const { url, client, credentials } = punctual;
  await client.createSchedules(
    labels.map(label => ({
      label,
      url: `${url}/echo`,
      verb: 'GET' as const,
      interval: '0 0 1 1 *',
      timezone: 'UTC',
    })),
  );
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser);
  await signIn(window.page, url, credentials);
  await window.page.goto(`${url}/schedules`);
  await window.page.getByRole('link', { name: labels[0]! }).waitFor();
  return { ...punctual, ...window };
}

const statusesOf = async (client: PunctualClient) =>
  (await client.listSchedules()).items.map(({ label, status }) => `${label} ${status}`).sort();

function untilAre(client: PunctualClient, expected: string[]): Promise<void> {
  return until(expected.join(), async () => (await statusesOf(client)).join() === expected.join());
}

const rowOf = (page: Page, label: string) => page.getByRole('row', { name: label });
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' });

test('a pause is on the screen before the service knows of it, and is undone', async context => {
  const { page, client, faults } = await aList(context, ['Alpha', 'Beta', 'Gamma']);
  await client.patchSchedule((await client.listSchedules({ label: 'Gamma' })).items[0]!.id, {
    status: 'disabled',
  });
  await rowOf(page, 'Gamma').getByText('paused').waitFor();
  const held: Route[] = [];
  let isHeld = true;
  await page.route('**/v1/schedule/*', route => {
    if (isHeld && route.request().method() === 'PATCH') held.push(route);
    else void route.continue();
  });
  await page.getByLabel('Pick all of this page').check();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  // The time for an undo stands still while the message is pointed at.
  await page.getByText('3 schedules paused.').hover();
  for (const label of ['Alpha', 'Beta']) await rowOf(page, label).getByText('paused').waitFor();
  assert.deepEqual(await statusesOf(client), ['Alpha enabled', 'Beta enabled', 'Gamma disabled']);
  await assertAccessible(page, 'a message with Undo');
  isHeld = false;
  for (const route of held) void route.continue();
  await untilAre(client, ['Alpha disabled', 'Beta disabled', 'Gamma disabled']);
  // Only what was changed is changed back.
  await undo(page).click();
  for (const label of ['Alpha', 'Beta'])
    await rowOf(page, label).getByText('paused').waitFor({ state: 'detached' });
  await untilAre(client, ['Alpha enabled', 'Beta enabled', 'Gamma disabled']);
  assert.deepEqual(faults, []);
});

test('an undo while requests are under way stops the others', async context => {
  const labels = Array.from({ length: 12 }, (_, index) => `Customer ${index}`);
  const { page, client } = await aList(context, labels);
  const held: Route[] = [];
  let isHeld = true;
  await page.route('**/v1/schedule/*', route => {
    if (isHeld && route.request().method() === 'PATCH') held.push(route);
    else void route.continue();
  });
  await page.getByLabel('Pick all of this page').check();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('12 schedules paused.').hover();
  await until('eight held requests', () => held.length >= 8);
  await undo(page).click();
  await page.getByText('It is undone.').waitFor();
  await rowOf(page, 'Customer 11').getByText('paused').waitFor({ state: 'detached' });
  const opposite = page.waitForRequest(request => request.postData()?.includes('enabled') ?? false);
  isHeld = false;
  for (const route of held) void route.continue();
  await opposite;
  await untilAre(client, labels.map(label => `${label} enabled`).sort());
  assert.equal(held.length, 8, 'four never left');
});

test('a deletion is sent when nobody can undo it any more', async context => {
  const { page, client, url, credentials } = await aList(context, ['Alpha', 'Beta', 'Gamma']);
  const sent: string[] = [];
  page.on('request', request => {
    if (request.method() === 'DELETE') sent.push(request.url());
  });
  const remove = async (label: string) => {
    await page.getByRole('button', { name: `Actions for ${label}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('1 schedule deleted.').waitFor();
    await rowOf(page, label).waitFor({ state: 'detached' });
  };
  await page.clock.install();
  await remove('Alpha');
  // The time for an undo stands still while the message is pointed at.
  await page.getByText('1 schedule deleted.').hover();
  // What is asked for again meanwhile does not bring it back.
  const again = page.waitForResponse(response => response.url().includes('/v1/schedule/health?'));
  await client.patchSchedule((await client.listSchedules({ label: 'Gamma' })).items[0]!.id, {
    label: 'Delta',
  });
  await page.clock.runFor(2_000);
  await again;
  await rowOf(page, 'Delta').waitFor();
  assert.equal(await rowOf(page, 'Alpha').count(), 0);
  await page.keyboard.press('Control+Z');
  await rowOf(page, 'Alpha').waitFor();
  assert.deepEqual(sent, [], 'nothing was sent');

  await remove('Alpha');
  await page.clock.fastForward(10_500);
  await page.getByText('1 schedule deleted.').waitFor({ state: 'detached' });
  await untilAre(client, ['Beta enabled', 'Delta enabled']);

  // Who leaves the page deletes at once; so does who signs out.
  await remove('Beta');
  await page.goto('about:blank');
  await untilAre(client, ['Delta enabled']);
  await page.goto(`${url}/schedules`);
  await remove('Delta');
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Punctual' }).waitFor();
  assert.deepEqual(await statusesOf(client), []);
  assert.ok(credentials.clientId);
});

test('a deletion that has left is not offered to be undone', async context => {
  const labels = Array.from({ length: 25 }, (_, index) => `Customer ${index}`);
  const { page, client } = await aList(context, labels);
  const held: Route[] = [];
  let isHeld = true;
  await page.route('**/v1/schedule/*', route => {
    if (isHeld && route.request().method() === 'DELETE') held.push(route);
    else void route.continue();
  });
  await page.getByLabel('Pick all of this page').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('25 schedules deleted.').hover();
  // They are more than a page that is left can send. It sends them, and the browser asks whether to stay.
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  await (await asked).dismiss();
  await until('held requests', () => held.length > 0);
  await undo(page).waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Z');
  assert.equal(await page.getByText('It is undone.').count(), 0);
  isHeld = false;
  for (const route of held) void route.continue();
  await untilAre(client, []);
  await page.getByText('There are no schedules yet').waitFor();
});

test('a failure in the middle of many is told exactly, and that one comes back', async context => {
  const { page, client } = await aList(context, ['Alpha', 'Beta', 'Gamma']);
  const beta = (await client.listSchedules({ label: 'Beta' })).items[0]!;
  await page.route(`**/v1/schedule/${beta.id}`, route =>
    ['PATCH', 'DELETE'].includes(route.request().method())
      ? route.fulfill({ status: 409, json: { error: 'It is locked.' } })
      : route.continue(),
  );
  await page.getByLabel('Pick all of this page').check();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Beta was not paused. It is locked.').waitFor();
  await page.getByText('2 schedules paused.').waitFor();
  await rowOf(page, 'Beta').getByText('paused').waitFor({ state: 'detached' });
  await untilAre(client, ['Alpha disabled', 'Beta enabled', 'Gamma disabled']);

  await page.getByLabel('Pick Beta').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await rowOf(page, 'Beta').waitFor({ state: 'detached' });
  const message = page.getByRole('alert').filter({ hasText: '1 schedule deleted.' });
  await message.getByRole('button', { name: 'Close this message' }).click();
  await page.getByText('Beta was not deleted. It is locked.').waitFor();
  await rowOf(page, 'Beta').waitFor();
});
