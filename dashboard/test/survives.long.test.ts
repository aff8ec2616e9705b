import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, fillIn, launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';

test('what was typed outlives a restart of the service, a lost connection, a reload and an ended session', async context => {
  const punctual = await startPunctual(context);
  const { url, client, credentials } = punctual;
  const second = await client.createKey({ name: 'for the page' });
  const browser = await launch();
  context.after(() => browser.close());
  const { page, context: window, faults } = await openWindow(browser);
  await signIn(page, url, { clientId: credentials.clientId, apiKey: second.apiKey });
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Label').fill('Typed with care');
  await page.getByLabel(/^Url/).fill(`${url}/echo`);
  const typed = () => page.getByLabel('Label').inputValue();
  // The service has told times before it goes away: they are the ones of before, below.
  await page.getByRole('table', { name: 'The next ten times' }).waitFor();

  // The service goes away: the page says so, and in words where something is asked of it.
  await punctual.stop();
  await page.getByText('The connection to Punctual is lost').waitFor();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page
    .getByText(/could not be reached\. Nothing was changed/)
    .first()
    .waitFor();
  assert.equal(await typed(), 'Typed with care');
  await punctual.startAgain();
  await page.getByText('The connection to Punctual is lost').waitFor({ state: 'detached' });
  await page.getByText('Live', { exact: true }).waitFor();

  // The network goes away and comes back.
  await window.setOffline(true);
  await page.getByLabel('Interval').fill('0 7 * * *');
  // The times of before are not passed off as those of what was typed.
  await page.getByText(/have not come yet/).waitFor();
  assert.equal(await page.getByText('At 07:00').count(), 0);
  await window.setOffline(false);
  await page.getByText('At 07:00, each day.').waitFor();

  // A reload.
  await page.reload();
  await page.getByText('What you typed before is here again.').waitFor();
  assert.equal(await typed(), 'Typed with care');

  // The session ends with its key: the page asks over itself, and goes on.
  await punctual.revoke(second.id);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel('ClientId').inputValue(), credentials.clientId);
  await page.waitForTimeout(3_000);
  assert.equal(await page.getByText('The connection to Punctual is lost').count(), 0);
  await fillIn(page, credentials);
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByText('The connection to Punctual is lost').count(), 0);
  await page.getByText('Live', { exact: true }).waitFor();
  assert.equal(await typed(), 'Typed with care');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('heading', { name: /Typed with care/ }).waitFor();
  assert.deepEqual(
    (await client.listSchedules()).items.map(({ label, interval }) => [label, interval]),
    [['Typed with care', '0 7 * * *']],
  );
  assert.deepEqual(faults, []);
});

test('a part of the page that cannot be loaded says so, and the rest stays in use', async context => {
  const punctual = await startPunctual(context);
  const { url, credentials } = punctual;
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Label').fill('Typed with care');
  await punctual.stop();
  await page.getByText('The connection to Punctual is lost').waitFor();
  // What is pasted, a dialog, and another page: none of their code has come before.
  await page.getByLabel('Paste a request').fill('curl https://example.com');
  await page.getByRole('button', { name: 'Fill in', exact: true }).click();
  await page.getByText('This cannot be read. Punctual may be away').waitFor();
  await page.keyboard.press('Control+K');
  const dialog = page.getByRole('dialog', { name: 'Go to anything' });
  await dialog.getByText('It could not be loaded.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Label').inputValue(), 'Typed with care');
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'This page did not load' }).waitFor();
  await assertAccessible(page, 'a page that did not load');
  // Another page is none of it.
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Keys' }).click();
  await punctual.startAgain();
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
});

test('wrong credentials are told in the words of the service', async context => {
  const { url } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await page.goto(url);
  await fillIn(page, { clientId: 'nobody', apiKey: 'nothing' });
  await page.getByText(/must name a client and one of its valid keys/).waitFor();
});

test('the first view is below 300 KB, and nothing comes from elsewhere', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  const requests: { url: string; bytes: Promise<number> }[] = [];
  page.on('requestfinished', request => {
    if (request.url().includes('/v1/event')) return;
    const bytes = request.sizes().then(sizes => sizes.responseBodySize + sizes.responseHeadersSize);
    requests.push({ url: request.url(), bytes });
  });
  await signIn(page, url, credentials);
  await page.getByText('Nothing is scheduled yet').waitFor();
  const sizes = await Promise.all(requests.map(({ bytes }) => bytes));
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  assert.ok(total < 300_000, `it is ${total} bytes`);
  assert.ok(total > 50_000, 'it was counted');
  assert.deepEqual(
    requests.filter(request => !request.url.startsWith(url)).map(request => request.url),
    [],
  );
});

test('the API reference works without anything from elsewhere', async context => {
  const { url } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  const elsewhere: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) {
      elsewhere.push(request.url());
    }
  });
  await page.goto(`${url}/docs`);
  await page.getByText('/v1/schedule/{scheduleId}/explain').first().waitFor();
  assert.deepEqual([elsewhere, faults], [[], []]);
});
