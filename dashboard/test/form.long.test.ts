import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
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

async function aForm(context: TestContext) {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser);
  await signIn(window.page, punctual.url, punctual.credentials);
  return { ...punctual, ...window, browser };
}

const REPORT = {
  label: 'Report',
  verb: 'GET' as const,
  interval: '0 9 * * *',
  timezone: 'Europe/Berlin',
};

test('two editors of one schedule: the second is told what the first changed, and nothing is lost', async context => {
  const { page, client, url, faults } = await aForm(context);
  const { id } = await client.createSchedule({ ...REPORT, url: `${url}/echo` });
  await page.goto(`${url}/schedules/${id}/edit`);
  await page.getByLabel('Interval').fill('0 10 * * *');
  await page.getByLabel('Label').fill('Report of mine');
  // What happens before the page listens reaches nobody.
  await page.getByText('Live', { exact: true }).waitFor();
  // Somebody else, over the API: a label that I changed too, and a verb that I did not.
  await client.patchSchedule(id, { label: 'Report of theirs', verb: 'POST' });
  const box = page
    .getByRole('alert')
    .filter({ hasText: 'Somebody else has changed this schedule' });
  await box.waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  assert.equal((await client.getSchedule(id)).interval, '0 9 * * *', 'nothing is overwritten');
  await assertAccessible(page, 'a conflict');
  await assertFits(page, 'a conflict');
  const goOn = box.getByRole('button', { name: 'Go on with this' });
  assert.ok(await goOn.isDisabled(), 'what both changed is to be decided');
  await box.getByRole('radiogroup', { name: 'Label' }).getByLabel(/^Mine/).check();
  assert.ok(
    await box
      .getByRole('radiogroup', { name: 'Verb' })
      .getByLabel(/^Theirs/)
      .isChecked(),
  );
  await goOn.click();
  await box.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The changes were saved.').waitFor();
  const { label, verb, interval } = await client.getSchedule(id);
  assert.deepEqual([label, verb, interval], ['Report of mine', 'POST', '0 10 * * *']);
  assert.deepEqual(faults, []);
});

test('a draft that is older than the schedule is not saved over it, and a pause meanwhile is no conflict', async context => {
  const { page, client, url, browser, context: first } = await aForm(context);
  const { id } = await client.createSchedule({ ...REPORT, url: `${url}/echo` });
  await page.goto(`${url}/schedules/${id}/edit`);
  await page.getByLabel('Interval').fill('0 10 * * *');
  // The tab sleeps; meanwhile the name is changed in another window.
  await page.goto('about:blank');
  const other = await openWindow(browser);
  await share(first, other.context);
  await other.page.goto(`${url}/schedules/${id}/edit`);
  await other.page.getByLabel('Label').fill('Renamed');
  await other.page.getByRole('button', { name: 'Save changes' }).click();
  await other.page.getByText('The changes were saved.').waitFor();
  await page.goto(`${url}/schedules/${id}/edit`);
  const box = page
    .getByRole('alert')
    .filter({ hasText: 'Somebody else has changed this schedule' });
  await box.getByText('Theirs: Renamed').waitFor();
  await screenshot(page, 'conflict-desktop');
  await box.getByRole('button', { name: 'Go on with this' }).click();
  assert.equal(await page.getByLabel('Label').inputValue(), 'Renamed');
  await client.patchSchedule(id, { status: 'disabled' });
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The changes were saved.').waitFor();
  const { label, interval, status } = await client.getSchedule(id);
  assert.deepEqual([label, interval, status], ['Renamed', '0 10 * * *', 'disabled']);
});

test('one’s own change is no conflict, and a form in which nothing was typed shows what is stored', async context => {
  const { page, client, url } = await aForm(context);
  const { id } = await client.createSchedule({ ...REPORT, url: `${url}/echo` });
  await page.goto(`${url}/schedules/${id}`);
  const conflict = page.getByText('Somebody else has changed this schedule');
  for (const label of ['Once', 'Twice']) {
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Label').fill(label);
    await page.waitForTimeout(1_500);
    assert.equal(await conflict.count(), 0);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: label }).waitFor();
  }
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Label').waitFor();
  await client.patchSchedule(id, { label: 'Theirs', timezone: 'Asia/Tokyo' });
  for (let look = 0; look < 100; look += 1) {
    if ((await page.getByLabel('Label').inputValue()) === 'Theirs') break;
    await page.waitForTimeout(100);
  }
  assert.equal(await page.getByLabel('Label').inputValue(), 'Theirs');
  assert.equal(await conflict.count(), 0);
  await page.reload();
  await page.getByLabel('Label').waitFor();
  assert.equal(await page.getByText('What you typed before is here again.').count(), 0);
});

test('whatever is wrong is told where it stands, at once, and no header is dropped in silence', async context => {
  const { page, client, url } = await aForm(context);
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel(/^Url/).fill(`${url}/echo`);
  await page.getByRole('button', { name: '+ Headers' }).click();
  const add = page.getByRole('button', { name: 'Add header' });
  const pairs = [
    ['X-Key', '1'],
    ['x-key', '2'],
    ['', '3'],
  ] as const;
  for (const [index, [name, value]] of pairs.entries()) {
    await add.click();
    await page.getByLabel(`Name of header ${index + 1}`).fill(name);
    await page.getByLabel(`Value of header ${index + 1}`).fill(value);
  }
  await page.getByText('x-key is there already, as header 1.').waitFor();
  await page.getByText('This value has no name.').waitFor();
  await page.getByRole('button', { name: '+ Retries and limits' }).click();
  await page.getByLabel('Time limit').fill('1.5');
  await page.getByLabel('Retries', { exact: true }).fill('99');
  await page.getByText('The time limit must be a whole number from 1 to 1,800.').waitFor();
  await page.getByText('Retries must be a whole number from 0 to 10.').waitFor();
  // The times are of the interval, and stay.
  await page.getByLabel('Interval').fill('0 7 * * *');
  await page.getByText('At 07:00, each day.').waitFor();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.waitForFunction('document.activeElement.getAttribute("aria-invalid") === "true"');
  assert.deepEqual((await client.listSchedules()).items, []);
  await assertAccessible(page, 'a form with mistakes');

  await page.getByLabel('Name of header 2').fill('X-Other');
  await page.getByLabel('Name of header 3').fill('X-Third');
  await page.getByLabel('Time limit').fill('5');
  await page.getByLabel('Retries', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('The schedule was created.').waitFor();
  const [made] = (await client.listSchedules()).items;
  assert.deepEqual(made!.headers, { 'X-Key': '1', 'X-Other': '2', 'X-Third': '3' });
});

test('a refusal goes when its field is mended, and a new webhook is no mistake before it is sent', async context => {
  const { page, url } = await aForm(context);
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel(/^Url/).fill(`${url}/echo`);
  await page.getByRole('button', { name: '+ Webhooks' }).click();
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('table', { name: 'The next ten times' }).waitFor();
  await page.waitForTimeout(600);
  assert.equal(await page.locator('[aria-invalid="true"]').count(), 0);
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('alert').filter({ hasText: /url/ }).waitFor();
  await page.getByLabel('Url of webhook 1').fill('https://hooks.example');
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('The schedule was created.').waitFor();
});

test("the next times are shown by the service's rules of the zone, and which these are", async context => {
  const { page, client, url, faults } = await aForm(context);
  const noon = { ...REPORT, interval: '0 12 * * *', timezone: 'America/Winnipeg' };
  const { id } = await client.createSchedule({ ...noon, url: `${url}/echo` });
  await page.goto(`${url}/schedules/${id}/edit`);
  const times = page.getByRole('table', { name: 'The next ten times' });
  await times
    .getByText(/, 12:00:00$/)
    .first()
    .waitFor();
  const rows = await times.locator('tbody tr td:first-child').allTextContents();
  assert.equal(rows.length, 10);
  for (const row of rows) assert.match(row, /, 12:00:00$/);
  await page.getByText(/Rules: IANA 20\d\d[a-z]\./).waitFor();
  assert.deepEqual(faults, []);
});
