import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';

const TOKEN = 't0ken-of-the-printer';

/** A host that lets in who has the token, and answers as the test says. */
async function startHost(context: TestContext) {
  const host = { at: '', isOk: true, paths: [] as string[] };
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    if (isKnown) host.paths.push(request.url!);
    response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ ok: isKnown && host.isOk }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  host.at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return host;
}

async function isNowhere(page: Page, secret: string, what: string) {
  const content = await page.content();
  const values = await page
    .locator('input, textarea')
    .evaluateAll(fields => fields.map(field => (field as HTMLInputElement).value));
  assert.ok(!content.includes(secret) && !values.join('\n').includes(secret), what);
}

test('somebody makes a destination, tests it, and calls its host with a template and a condition', async context => {
  const [punctual, host] = await Promise.all([startPunctual(context), startHost(context)]);
  const { url, client } = punctual;
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);

  // Each mistake is told at its field, before anything is sent.
  await page.getByRole('link', { name: 'Destinations' }).click();
  await page.getByText('There are no destinations yet').waitFor();
  await assertAccessible(page, 'no destinations');
  await page.getByRole('link', { name: 'New destination' }).click();
  // To mend one mistake does not lead away to the next one while somebody types.
  await page.getByRole('button', { name: 'Make destination' }).click();
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  await page.keyboard.type('print');
  assert.equal(await page.getByLabel(/^Name/).inputValue(), 'print');
  await page.getByLabel(/^Name/).fill('printer');
  await page.getByLabel(/^Hosts/).fill(host.at);
  await page.getByLabel('Sign-in').selectOption('Bearer token');
  await page.getByLabel('Over http too').check();
  await page.getByRole('button', { name: 'Make destination' }).click();
  await page.getByText('Give the token.').waitFor();
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  const token = page.getByLabel(/^Token/);
  await token.fill('t0ken-of-another');
  await page.getByRole('button', { name: 'Make destination' }).click();
  await page.getByRole('heading', { level: 1, name: 'printer' }).waitFor();

  // A test through it says who is wrong, and no secret comes back.
  const testBox = page.getByRole('region', { name: 'Test' });
  const send = testBox.getByRole('button', { name: 'Send a test request' });
  assert.equal(await testBox.getByLabel(/^Url to test/).inputValue(), `http://${host.at}/`);
  await send.click();
  await testBox.getByText('The host does not accept this token.').waitFor();
  await isNowhere(page, 't0ken-of-another', 'a stored token');
  await screenshot(page, 'destination-1-refused');
  await assertAccessible(page, 'a refused test');
  await page.getByText('It is set. Leave it empty to keep it.').waitFor();
  await token.fill(TOKEN);
  await testBox.getByText('Your changes are not saved.').waitFor();
  await page.getByRole('button', { name: 'Save destination' }).click();
  await page.getByText('The destination was saved.').waitFor();
  await testBox.getByLabel(/^Url to test/).fill('https://elsewhere.example/');
  await send.click();
  await testBox.getByText(`Its host is not one of ${host.at}.`).waitFor();
  await testBox.getByLabel(/^Url to test/).fill(`http://${host.at}/test`);
  await send.click();
  await testBox.getByText('status 200').waitFor();
  assert.deepEqual(host.paths, ['/test']);
  await isNowhere(page, TOKEN, 'the token of an answered test');

  // Other hosts: the secret does not follow, unless it is given again.
  await page.getByLabel(/^Hosts/).fill(`${host.at}\nother.example`);
  await page.getByRole('button', { name: 'Save destination' }).click();
  await page.getByText('The hosts have changed: give the token again.').waitFor();
  assert.deepEqual((await client.getDestination('printer')).hosts, [host.at]);

  // A schedule through it, with a name of a template and a condition.
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Label').fill('Print');
  await page.getByRole('button', { name: '+ Delivery' }).click();
  await page.getByLabel('Replace names in the request').check();
  await page.getByLabel('A value of a JSON answer must be right').check();
  await page.getByLabel('Pointer to the value').fill('/ok');
  const address = page.getByRole('textbox', { name: 'Url', exact: true });
  await address.pressSequentially(`http://${host.at}/print?day={{localD`);
  await page.getByRole('option', { name: /^run\.localDate/ }).waitFor();
  await screenshot(page, 'destination-2-names');
  await assertAccessible(page, 'offered names');
  await page.keyboard.press('Enter');
  assert.equal(await address.inputValue(), `http://${host.at}/print?day={{run.localDate}}`);
  await page.getByRole('button', { name: '+ Destination' }).click();
  await page.getByRole('combobox', { name: 'Destination' }).click();
  await page.getByRole('option', { name: /^printer/ }).click();
  const request = page.getByRole('region', { name: 'The request' });
  await request.getByText(/print\?day=\d{4}-\d\d-\d\d/).waitFor();
  await assertAccessible(page, 'a form with a destination');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('The schedule was created.').waitFor();
  const [made] = (await client.listSchedules()).items;
  assert.deepEqual(
    [made!.destination, made!.policy],
    ['printer', { template: true, success: { json: { pointer: '/ok', equals: true } } }],
  );

  // Its page tells the policy, and a run the condition that it failed.
  await page.getByText('the status is 2xx; /ok is true').waitFor();
  await page.getByRole('link', { name: 'printer' }).waitFor();
  host.paths.length = 0;
  await page.getByRole('button', { name: 'Run now' }).click();
  const runs = page.getByRole('region', { name: 'Runs' });
  await runs.getByText('by hand: status 200').waitFor();
  assert.match(host.paths[0]!, /^\/print\?day=\d{4}-\d\d-\d\d$/);
  await client.patchSchedule(made!.id, { policy: { maxRetries: 0 } });
  host.isOk = false;
  await page.getByRole('button', { name: 'Run now' }).click();
  await runs.getByText(/by hand: \/ok was false/).waitFor();
  await page
    .getByRole('button', { name: /^\d+ \w+, \d\d:\d\d:\d\d$/ })
    .first()
    .click();
  const run = page.getByRole('dialog', { name: 'Run' });
  await run
    .getByRole('region', { name: 'Attempt 1', exact: true })
    .getByText('/ok was false, and must be true.')
    .waitFor();
  await screenshot(page, 'destination-3-condition');
  await assertAccessible(page, 'a failed condition');

  // In use: it stays.
  await page.goto(`${url}/destinations`);
  await page.getByText('1 schedule', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'printer' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete printer?' });
  await dialog.getByText(/It is in use: 1 schedule names it/).waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await client.getDestination('printer')).usedBy, 1);
  await assertFits(page, 'a destination');
  assert.deepEqual(faults, []);
});
