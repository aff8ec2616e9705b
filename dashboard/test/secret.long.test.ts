import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  assertAccessible,
  assertFits,
  type Look,
  launch,
  openWindow,
  screenshot,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget, type Target } from './support/service.ts';
import { until } from './support/until.ts';

test('the secret is rotated: shown once, both sign until the overlap is ended, then only the new one', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const { client, url } = punctual;
  const fields = { url: target.url, verb: 'POST', timezone: 'UTC' } as const;
  const schedule = await client.createSchedule({ ...fields, interval: '0 0 1 1 *' });
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults, context: window } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  await page.goto(`${url}/keys`);
  await page.getByText(/In use since/).waitFor();
  assert.equal(await page.getByText('The old secret is also used until').count(), 0);

  await page.getByRole('button', { name: 'Rotate secret' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('The old secret is used too for').selectOption('7 days');
  await assertAccessible(page, 'the overlap is chosen');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('heading', { name: 'The new secret' }).waitFor();
  const secret = (await dialog.locator('pre').innerText()).trim();
  assert.match(secret, /^whsec_/);
  await assertAccessible(page, 'the secret is shown');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText(/The old secret is also used until .* \(in 7 days\)/).waitFor();
  assert.equal(await page.getByText(secret).count(), 0);
  await assertAccessible(page, 'an overlap lasts');
  await phoneFits(window);
  assert.deepEqual(await signedBy(secret), [true, 2]);

  await page.getByRole('button', { name: 'Replace the new secret' }).click();
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await page.getByRole('heading', { name: 'The new secret' }).waitFor();
  const again = (await dialog.locator('pre').innerText()).trim();
  assert.notEqual(again, secret);
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('button', { name: 'End now' }).click();
  await dialog.getByRole('button', { name: 'End overlap' }).click();
  await page.getByText('The old secret is no longer used.').waitFor();
  await page.getByRole('button', { name: 'Rotate secret' }).waitFor();
  assert.deepEqual(await signedBy(again), [true, 1]);
  assert.deepEqual(faults, []);

  /** Whether what the service sends now verifies with a secret, and how many signatures it has. */
  async function signedBy(secret: string): Promise<[boolean, number]> {
    const before = target.arrivals.length;
    await client.triggerSchedule(schedule.id);
    await until('the request', () => target.arrivals.length > before);
    const { headers, body } = target.arrivals.at(-1)!;
    const count = String(headers['webhook-signature']).split(' ').length;
    return [verifies(secret, headers, body), count];
  }

  async function phoneFits(window: Parameters<typeof share>[0]) {
    for (const [name, look] of [
      ['desktop', { size: 'desktop' }],
      ['phone', { size: 'phone', colorScheme: 'dark' }],
    ] satisfies [string, Look][]) {
      const other = await openWindow(browser, look);
      await share(window, other.context);
      await other.page.goto(`${url}/keys`);
      await other.page.getByText('The old secret is also used until').waitFor();
      await assertFits(other.page, `an overlap, ${name}`);
      await assertAccessible(other.page, `an overlap, ${name}`);
      if (name === 'desktop') await screenshot(other.page, 'keys-overlap-desktop');
      await other.context.close();
    }
  }
});

function verifies(secret: string, headers: Target['arrivals'][number]['headers'], body: string) {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}
