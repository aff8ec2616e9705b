import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PunctualClient } from '../../client/src/index.ts';
import {
  assertAccessible,
  assertFits,
  fillIn,
  launch,
  openWindow,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';

/** Who may call: keys with what came of them, sessions, signing in and out. */

test('a key is revoked with all keys made with it; sessions are listed and ended', async context => {
  const { url, client, credentials } = await startPunctual(context);
  const leaked = await client.createKey({ name: 'leaked' });
  const as = (apiKey: string) =>
    new PunctualClient({ baseUrl: url, clientId: credentials.clientId, apiKey });
  const child = await as(leaked.apiKey).createKey({ name: 'its child' });
  await as(child.apiKey).createKey({ name: 'its grandchild' });
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  const other = await openWindow(browser, { size: 'phone', colorScheme: 'dark' });
  await signIn(other.page, url, { clientId: credentials.clientId, apiKey: leaked.apiKey });
  await page.goto(`${url}/keys`);
  await page.getByText('· made with its child').waitFor();
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await sessions.getByText('leaked').waitFor();
  await sessions.getByText('· this one').waitFor();
  await assertAccessible(page, 'keys and sessions');
  await other.page.goto(`${url}/keys`);
  await other.page.getByText('· this one').waitFor();
  await assertFits(other.page, 'keys and sessions');
  await assertAccessible(other.page, 'keys and sessions, dark');

  await page.getByRole('button', { name: 'Revoke leaked' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Also revoke all keys made with it: its child, its grandchild').check();
  await assertAccessible(page, 'the question');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The keys are revoked.').waitFor();
  await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  const { items } = await client.listKeys();
  assert.deepEqual(
    items.map(({ name, revokedAt }) => [name, revokedAt !== undefined]),
    [
      [undefined, false],
      ['leaked', true],
      ['its child', true],
      ['its grandchild', true],
    ],
  );

  await fillIn(other.page, credentials);
  await other.page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await sessions.getByRole('button', { name: /^End the session of/ }).click();
  await other.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await sessions
    .getByRole('button', { name: /^End the session of/ })
    .waitFor({ state: 'detached' });

  await sessions.getByRole('button', { name: 'Sign out everywhere' }).click();
  await dialog.getByRole('button', { name: 'End all sessions' }).click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  assert.deepEqual((await client.listSessions()).items, []);
  assert.deepEqual(faults, []);
});

test('who signs in over the page of another client sees nothing of it', async context => {
  const punctual = await startPunctual(context);
  const { url, client, credentials } = punctual;
  const fields = { url: `${url}/echo`, verb: 'GET', timezone: 'UTC' } as const;
  await client.createSchedule({ ...fields, label: 'Of the first', interval: '0 0 1 1 *' });
  const second = await punctual.createClient('second');
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules`);
  await page.getByText('Of the first').waitFor();
  await client.signOut({ all: 'true' });
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  // What the page asks from here on does not arrive: what is shown then was known before.
  let isHeld = false;
  await page.route(/\/v1\/(?!session)/, route => (isHeld ? undefined : route.continue()));
  isHeld = true;
  await fillIn(page, second);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('heading', { name: 'Schedules' }).waitFor();
  assert.equal(await page.getByText('Of the first').count(), 0);
  await page.getByRole('button', { name: 'Account: second' }).waitFor();
});

test('a sign-out that fails is told, and one that arrives forgets everything', async context => {
  const punctual = await startPunctual(context);
  const { url, client, credentials } = punctual;
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  const signOut = async () => {
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };
  await punctual.stop();
  await signOut();
  await page.getByText(/You are still signed in\. Punctual could not be reached/).waitFor();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await punctual.startAgain();
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal((await client.listSessions()).items.length, 1);
  await signOut();
  await page.getByRole('heading', { name: 'Sign in to Punctual' }).waitFor();
  assert.deepEqual((await client.listSessions()).items, []);
});

test('a page that nobody touches keeps no session from ending', async context => {
  const { url, client, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await page.clock.install();
  await signIn(page, url, credentials);
  const next = async () => {
    const asked = page.waitForRequest(request => request.url().includes('/v1/schedule'));
    // Something happens, and the page reads its lists again by itself.
    await client.createSchedule({
      ...{ url: `${url}/echo`, verb: 'GET', timezone: 'UTC', interval: '0 0 1 1 *' },
    } as const);
    return (await asked).headers()['punctual-session'];
  };
  await page.goto(`${url}/schedules`);
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal(await next(), 'yes');
  await page.clock.fastForward(61_000);
  assert.equal(await next(), 'background');
  await page.mouse.move(200, 200);
  assert.equal(await next(), 'yes');
});
