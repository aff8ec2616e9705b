import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertAccessible,
  assertFits,
  closeMessage,
  type Look,
  launch,
  openWindow,
  screenshot,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';
import { until } from './support/until.ts';

const LOOKS: [string, Look][] = [
  ['desktop', { size: 'desktop' }],
  ['phone', { size: 'phone' }],
  ['dark', { size: 'desktop', colorScheme: 'dark' }],
  ['tablet', { size: 'tablet' }],
  ['wide', { size: 'wide' }],
  ['200 %', { size: 'zoomed' }],
];
const LONG =
  'A label that somebody wrote everything into that this schedule does and who asked for it '.repeat(
    5,
  );

/** In every look, a picture of these; of the others one. */
const PICTURED = new Set(['overview', 'schedules', 'schedule', 'runs', 'run', 'schedules-new']);
/** Tests of their own take these. */
const PICTURED_ELSEWHERE = new Set(['timeline', 'incidents', 'wall']);

/** Each look has the bound of a test; together they take longer. */
const BOUND = { timeout: 500_000 };

test('each page, with much on it, is accessible and fits in each look', BOUND, async context => {
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
  await client.putCalendar('freeze', {
    periods: [{ from: '2099-12-24', to: '2100-01-02', summary: 'Year end' }],
  });
  await client.createSchedule({
    label: 'Spread and snoozed',
    url: target.url,
    verb: 'POST',
    interval: 'rate(90 minutes)',
    timezone: 'Asia/Tokyo',
    windowSeconds: 300,
    exclude: ['freeze'],
    tags: { team: 'billing', eu: '' },
    externalId: 'spread-1',
    pausedUntil: '2099-01-01T00:00:00Z',
    body: '{"nested":{"id":7}}',
  });
  await client.putDestination('billing', {
    hosts: [
      '127.0.0.1',
      '*.billing.example',
      'a-very-long-name-of-a-host.in.a.far.away.zone.example',
    ],
    allowHttp: true,
    auth: { type: 'bearer', token: 'a-token-of-billing' },
    limits: { maxConcurrent: 5, perSecond: 0.5 },
  });
  const delivered = await client.createSchedule({
    label: 'Delivered with care',
    url: `${target.url}?day={{run.localDate}}`,
    verb: 'POST',
    interval: '0 6 * * *',
    timezone: 'Europe/Berlin',
    destination: 'billing',
    body: '{"since":"{{previous.succeededFor}}"}',
    policy: {
      template: true,
      success: { statuses: ['2xx', '304'], json: { pointer: '/ok', equals: true } },
      retryDelaysSeconds: [10, 60, 600],
      overlap: 'bufferOne',
      disableAfterFailures: 5,
      keepResponse: 'headers',
    },
  });
  const spread = (await client.listSchedules({ tag: ['team:billing'] })).items[0]!;
  await client.createKey({ name: 'deploy pipeline' });
  const browser = await launch();
  context.after(() => browser.close());
  const first = await openWindow(browser);
  await signIn(first.page, url, punctual.credentials);
  const id = items[0]!.id;
  // Until there is something to look at.
  const newestFailed = async () => (await client.listRuns({ status: 'failed', limit: 1 })).items[0];
  await until('a failed run', async () => (await newestFailed()) !== undefined);
  const failed = await newestFailed();

  for (const [name, look] of LOOKS) {
    await context.test(name, () => seen(name, look));
  }

  async function seen(name: string, look: Look) {
    const { context: window, page, faults } = await openWindow(browser, look);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Sign in to Punctual' }).waitFor();
    await assertAccessible(page, `sign-in, ${name}`);
    await share(first.context, window);
    for (const [path, heading, there] of [
      ['/', 'Overview', 'Keep failing'],
      ['/schedules', 'Schedules', 'Customer 119'],
      ['/schedules/new', 'New schedule', 'The next ten times'],
      ['/schedules?tag=team:billing', 'Schedules', 'spread-1'],
      [`/schedules/${delivered.id}`, 'Delivered with care', 'Succeeds if'],
      [`/schedules/${delivered.id}/edit`, 'Edit schedule', 'As it leaves at the next time'],
      [`/schedules/${spread.id}`, 'Spread and snoozed', 'it fires'],
      [`/schedules/${spread.id}/edit`, 'Edit schedule', 'Every 90 minutes'],
      [`/schedules/${items[1]!.id}/edit`, 'Edit schedule', 'Daylight saving'],
      [`/schedules/${id}`, 'Heartbeat', 'Next times'],
      ['/calendars', 'Calendars', 'Year end'],
      ['/calendars/freeze', 'freeze', 'Next entries'],
      ['/calendars/new', 'New calendar', 'First day'],
      ['/destinations', 'Destinations', 'bearer token'],
      ['/destinations/billing', 'billing', 'Send a test request'],
      ['/destinations/new', 'New destination', 'Not stored yet'],
      ['/runs', 'Runs', 'What came back'],
      [`/runs?run=${failed!.id}`, 'Runs', 'Attempt 1'],
      ['/timeline', 'Timeline', 'nothing could fire'],
      ['/incidents', 'Incidents', 'open for'],
      ['/forecast', 'Forecast', 'Busiest minutes'],
      ['/wall', 'Wall', 'a second late or more'],
      ['/nothing-here', 'Nothing is here', 'Nothing is here'],
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
      const isPictured =
        PICTURED.has(nameOf(path)) || (name === 'desktop' && !PICTURED_ELSEWHERE.has(nameOf(path)));
      if (isPictured && name !== '200 %') await screenshot(page, `${nameOf(path)}-${name}`);
    }
    assert.deepEqual(faults, [], name);
    await window.close();
  }
});

function nameOf(path: string): string {
  if (path === '/') return 'overview';
  if (path.includes('run=')) return 'run';
  if (path.includes('tag=')) return 'tagged';
  if (path.startsWith('/calendars/')) return path.slice('/calendars/'.length);
  if (path.startsWith('/destinations/'))
    return `destination-${path.slice('/destinations/'.length)}`;
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
  await page.getByText('Beta').waitFor();
  await page.getByLabel('Label contains').fill('ALPHA');
  await page.getByText('Beta').waitFor({ state: 'detached' });
  await page.getByLabel('Pick all of this page').check();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('2 schedules paused.').waitFor();
  const statuses = async () =>
    (await client.listSchedules()).items.map(({ label, status }) => `${label} ${status}`).sort();
  const untilThere = (...expected: string[]) =>
    until(expected.join(), async () => (await statuses()).join() === expected.join());
  await untilThere('Alpha 1 disabled', 'Alpha 2 disabled', 'Beta enabled');
  await page.getByLabel('Pick Alpha 1').check();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('1 schedule resumed.').waitFor();
  await page.getByLabel('Pick Alpha 2').check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await closeMessage(page, '1 schedule deleted.');
  await untilThere('Alpha 1 enabled', 'Beta enabled');
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
  // The heading stands above a form that is still to come.
  await page.getByLabel('Interval').waitFor();
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
  // Near the change of the clocks, the effect on the next month tells of it as well.
  await page
    .getByText(/02:30:00 does not exist/)
    .first()
    .waitFor();
  await press('Save changes');
  await page.keyboard.press('Enter');
  await page.getByText('The changes were saved.').waitFor();
  assert.equal((await client.getSchedule(schedule.id)).interval, '30 2 * * *');
});
