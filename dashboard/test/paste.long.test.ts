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

const CRONTAB = `CRON_TZ=Asia/Tokyo
# Invoices
0 9 * * 1-5 curl -fsS -X POST https://api.example.com/invoices -d '{"all":"yes"}' >/dev/null 2>&1
*/7 * * * * wget -q https://api.example.com/ping
61 * * * * curl https://api.example.com/wrong
@reboot /usr/local/bin/warm-up
`;

test('a whole crontab becomes a table to check, then schedules', async context => {
  const { client, url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Paste a request to fill this in').fill(CRONTAB);
  await page.getByRole('button', { name: 'Fill in' }).click();
  const table = page.getByRole('table', { name: 'Lines of the crontab' });
  await table.getByText('At 09:00, Monday to Friday, Asia/Tokyo').waitFor();
  await table.getByText('At minutes 0, 7, 14 and so on to 56 of every hour').waitFor();
  await table.getByText("The interval's minute field has 61, which is above 59.").waitFor();
  await table.getByText('No schedule has a time such as @reboot.').waitFor();
  const line = (number: number) => table.getByLabel(`Create a schedule of line ${number}`);
  assert.deepEqual(await Promise.all([3, 4, 5, 6].map(number => line(number).isDisabled())), [
    false,
    false,
    true,
    true,
  ]);
  await assertAccessible(page, 'a crontab');
  await assertFits(page, 'a crontab');
  await screenshot(page, 'paste-crontab');
  await line(4).uncheck();
  await page.getByRole('button', { name: 'Create 1 schedule' }).click();
  await page.getByText('1 schedule created.').waitFor();
  const { items } = await client.listSchedules();
  assert.deepEqual(
    items.map(({ label, verb, interval, timezone, data }) => [
      label,
      verb,
      interval,
      timezone,
      data,
    ]),
    [['Invoices', 'POST', '0 9 * * 1-5', 'Asia/Tokyo', { all: 'yes' }]],
  );
  assert.deepEqual(faults, []);
});

test('a call of fetch() and a line of a crontab fill the form in', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/new`);
  const box = page.getByLabel('Paste a request to fill this in');
  await box.fill('hello world');
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText('This cannot be read. It is no cURL or wget command').waitFor();
  await box.fill(
    `await fetch("${url}/echo", { method: "PUT", body: JSON.stringify({ a: { b: 1 } }) })`,
  );
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText('The form is filled in.').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Url' }).inputValue(), `${url}/echo`);
  await box.fill(`15 4 * * sun curl ${url}/echo`);
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText('At 04:15, on Sunday.').waitFor();
  assert.deepEqual(faults, []);
});
