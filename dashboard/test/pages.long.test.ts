import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import { startPunctual, startTarget } from './support/service.ts';

const LOOKS: [string, Look][] = [
  ['desktop', { size: 'desktop' }],
  ['phone', { size: 'phone' }],
  ['dark', { size: 'desktop', colorScheme: 'dark' }],
];
const LONG =
  'A label that somebody wrote everything into that this schedule does and who asked for it '.repeat(
    5,
  );

test('each page, with much on it, on a desktop and a phone, light and dark', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const { client, url } = punctual;
  const broken = `http://127.0.0.1:1/${'a-long-path-without-an-end/'.repeat(8)}`;
  const { items } = await client.createSchedules([
    { label: 'Heartbeat', url: target.url, verb: 'GET', interval: '* * * * * *', timezone: 'UTC' },
    {
      label: LONG.trim(),
      url: target.url,
      verb: 'POST',
      interval: '30 2 * * *',
      timezone: 'Europe/Berlin',
    },
    { label: '', url: broken, verb: 'PUT', interval: '*/2 * * * * *', timezone: 'Asia/Kolkata' },
    ...Array.from({ length: 120 }, (_, index) => ({
      label: `Customer ${index}`,
      url: `${target.url}?customer=${index}`,
      verb: 'POST' as const,
      interval: ['0 * * * *', '*/15 * * * *', '0 9 * * MON-FRI'][index % 3]!,
      timezone: 'America/New_York',
      ...(index % 5 === 0 && { status: 'disabled' as const }),
    })),
  ]);
  await client.createKey({ name: 'deploy pipeline' });
  const browser = await launch();
  context.after(() => browser.close());
  const first = await openWindow(browser);
  await signIn(first.page, url, punctual.credentials);
  const id = items[0]!.id;
  // Until there is something to look at.
  while ((await client.listRuns({ status: 'failed' })).items.length === 0);
  const [failed] = (await client.listRuns({ status: 'failed', limit: 1 })).items;

  for (const [name, look] of LOOKS) {
    const { context: window, page, faults } = await openWindow(browser, look);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Sign in to Punctual' }).waitFor();
    await assertAccessible(page, `sign-in, ${name}`);
    await share(first.context, window);
    for (const [path, heading, there] of [
      ['/', 'Overview', 'Keep failing'],
      ['/schedules', 'Schedules', 'Customer 119'],
      ['/schedules/new', 'New schedule', 'The next ten times'],
      [`/schedules/${items[1]!.id}/edit`, 'Edit schedule', 'Daylight saving'],
      [`/schedules/${id}`, 'Heartbeat', 'Next times'],
      ['/runs', 'Runs', 'What came back'],
      [`/runs?run=${failed!.id}`, 'Runs', 'Attempt 1'],
      ['/forecast', 'Forecast', 'Busiest minutes'],
      ['/keys', 'Keys', 'deploy pipeline'],
    ] as const) {
      const what = `${path}, ${name}`;
      await page.goto(url + path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor({ state: 'attached' });
      const sign = page
        .getByText(there, { exact: false })
        .or(page.getByRole('table', { name: there }));
      await sign.first().waitFor({ state: 'attached' });
      await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
      await assertFits(page, what);
      await assertAccessible(page, what);
      await screenshot(page, `${nameOf(path)}-${name}`);
    }
    assert.deepEqual(faults, [], name);
    await window.close();
  }
});

function nameOf(path: string): string {
  if (path === '/') return 'overview';
  if (path.includes('run=')) return 'run';
  if (path.endsWith('/edit')) return 'edit';
  return /^\/schedules\/(?!new)/.test(path) ? 'schedule' : path.slice(1).replace('/', '-');
}

test('many are paused, resumed and deleted at once; a search finds them; a clone is another one', async context => {
  const { client, url, credentials } = await startPunctual(context);
  const items = ['Alpha 1', 'Alpha 2', 'Beta'].map(label => ({
    label,
    url: `${url}/echo`,
    verb: 'GET' as const,
    interval: '0 0 1 1 *',
    timezone: 'UTC',
  }));
  await client.createSchedules(items);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules`);
  await page.getByLabel('Label contains').fill('ALPHA');
  await page.getByText('Beta').waitFor({ state: 'detached' });
  await page.getByLabel('Pick all of this page').check();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('2 schedules paused.').waitFor();
  const statuses = async () =>
    (await client.listSchedules()).items.map(({ label, status }) => `${label} ${status}`).sort();
  assert.deepEqual(await statuses(), ['Alpha 1 disabled', 'Alpha 2 disabled', 'Beta enabled']);
  await page.getByLabel('Pick Alpha 1').check();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('1 schedule resumed.').waitFor();
  await page.getByLabel('Pick Alpha 2').check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 schedule deleted.').waitFor();
  assert.deepEqual(await statuses(), ['Alpha 1 enabled', 'Beta enabled']);
  await page.getByRole('button', { name: 'Actions for Alpha 1' }).click();
  await page.getByRole('menuitem', { name: 'Clone' }).click();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('heading', { name: /Copy of Alpha 1/ }).waitFor();
  assert.equal((await client.listSchedules()).items.length, 3);
  assert.deepEqual(faults, []);
});

test('an edit shows the times before and after, by keyboard alone', async context => {
  const { client, url, credentials } = await startPunctual(context);
  const schedule = await client.createSchedule({
    label: 'Report',
    url: `${url}/echo`,
    verb: 'GET',
    interval: '0 9 * * *',
    timezone: 'Europe/Berlin',
  });
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/${schedule.id}`);
  const edit = page.getByRole('link', { name: 'Edit' });
  await edit.waitFor();
  const press = async (name: string, key = 'Tab') => {
    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press(key);
      const focused = await page.evaluate(
        'document.activeElement.innerText || document.activeElement.labels?.[0]?.innerText || ""',
      );
      if (String(focused).startsWith(name)) return;
    }
    assert.fail(`${name} cannot be reached by keyboard`);
  };
  await press('Edit');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Edit schedule' }).waitFor();
  await press('Interval');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('30 2 * * *');
  await page
    .getByRole('table', { name: 'The times as it is now' })
    .getByText(/09:00:00/)
    .first()
    .waitFor();
  await page
    .getByRole('table', { name: 'The next ten times' })
    .getByText(/02:30:00/)
    .first()
    .waitFor();
  await page.getByText(/02:30:00 does not exist/).waitFor();
  await press('Save changes');
  await page.keyboard.press('Enter');
  await page.getByText('The changes were saved.').waitFor();
  assert.equal((await client.getSchedule(schedule.id)).interval, '30 2 * * *');
});
