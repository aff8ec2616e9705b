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
import { until } from './support/until.ts';

const HOUR_MS = 3_600_000;

/** Midnight may pass while the test goes on: a date stays the same. */
const START = Date.now();

/** A date to come. */
function dayIn(days: number): string {
  return new Date(START + days * 24 * HOUR_MS).toISOString().slice(0, 10);
}

test('somebody plans a one-off, a spread rate, a freeze and a snooze, and takes an advice', async context => {
  const punctual = await startPunctual(context);
  const { url, client } = punctual;
  const target = `${url}/echo`;
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  const newest = async () => (await client.listSchedules({ limit: 1 })).items[0]!;
  const save = async () => {
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText('The schedule was created.').first().waitFor();
    await page.getByRole('heading', { name: 'Next times' }).waitFor();
    return newest();
  };

  // Once: nested JSON of a cURL command stays as it is, and each tab keeps what was typed.
  await page.goto(`${url}/schedules/new`);
  const nested = '{"to": {"all": true}}';
  await page
    .getByLabel('Paste a request to fill this in')
    .fill(`curl ${target} --json '${nested}'`);
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.locator('.cm-content').filter({ hasText: nested }).waitFor();
  await page.getByLabel('Label').fill('Season’s greetings');
  await page.getByLabel('Interval').fill('0 7 * * *');
  const tabs = page.getByRole('radiogroup', { name: 'How often' });
  await tabs.getByText('Once').click();
  assert.equal(
    await page.locator('[aria-invalid="true"]').count(),
    0,
    'an empty time is no mistake yet',
  );
  await page.getByLabel('Date and time').fill(`${dayIn(40)}T18:00`);
  await tabs.getByText('Repeats').click();
  assert.equal(await page.getByLabel('Interval').inputValue(), '0 7 * * *');
  await tabs.getByText('Once').click();
  await page.getByText(`Once, on ${dayIn(40)} at 18:00.`).waitFor();
  await screenshot(page, 'timing-1-once');
  await assertAccessible(page, 'a one-off');
  const greetings = await save();
  assert.equal(greetings.interval, `at(${dayIn(40)}T18:00)`);
  assert.equal(greetings.body, nested);

  // Every: a rate within a window, with tags and an id of one's own.
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Label').fill('Sync');
  await page.getByLabel(/^Url/).fill(target);
  await tabs.getByText('Every').click();
  await page.getByRole('textbox', { name: 'Every' }).fill('45');
  await page.getByRole('button', { name: '+ Window' }).click();
  await page.getByLabel('Window', { exact: true }).fill('300');
  await page.getByRole('button', { name: '+ Tags and external id' }).click();
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByLabel('Name of tag 1').fill('team');
  await page.getByLabel('Value of tag 1').fill('sync');
  await page.getByLabel('External id').fill('sync-1');
  await page.getByText(/^It fires \d+ s later than the interval says/).waitFor();
  await page.getByText('Every 45 minutes.').waitFor();
  const sync = await save();
  assert.deepEqual(
    [sync.interval, sync.windowSeconds, sync.tags, sync.externalId],
    ['rate(45 minutes)', 300, { team: 'sync' }, 'sync-1'],
  );

  // A freeze: a calendar, which a schedule excludes.
  await page.goto(`${url}/calendars/new`);
  await page.getByLabel(/^Name/).first().fill('freeze');
  const period = page.getByRole('group', { name: 'Period 1' });
  await period.getByLabel('Name').fill('Year end');
  await period.getByLabel('First day').fill(dayIn(10));
  await period.getByLabel('Last day').fill(dayIn(19));
  await assertAccessible(page, 'a new calendar');
  await page.getByRole('button', { name: 'Make calendar' }).click();
  await page.getByRole('heading', { level: 1, name: 'freeze' }).waitFor();
  await page.getByRole('table', { name: 'Next entries' }).getByText('Year end').waitFor();
  assert.deepEqual(
    (await client.getCalendar('freeze')).entries.map(({ from, to }) => [from, to]),
    [[dayIn(10), dayIn(20)]],
  );
  await page.goto(`${url}/schedules/${greetings.id}/edit`);
  await page.getByRole('button', { name: '+ Calendars' }).click();
  await page.getByRole('combobox', { name: 'Calendars' }).click();
  await page.getByRole('option', { name: 'freeze' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The changes were saved.').first().waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await tabs.getByText('Repeats').click();
  await page.getByLabel('Interval').fill('0 9 * * *');
  const excluded = page.getByRole('table', { name: 'Excluded times' });
  await excluded.getByText('Year end').first().waitFor();
  // The effect is told before it is saved.
  const effect = page.getByRole('region', { name: 'Effect on the next 31 days' });
  await effect.getByText(/^0 → 2[0-2] firings$/).waitFor();
  await effect.getByText(/2[0-2] added/).waitFor();
  await screenshot(page, 'timing-2-effect');
  await assertAccessible(page, 'an edit with its effect');

  // Meanwhile somebody else changes the window and the calendars: nothing of either is lost.
  await client.patchSchedule(greetings.id, { windowSeconds: 60, interval: '0 8 * * *' });
  const box = page
    .getByRole('alert')
    .filter({ hasText: 'Somebody else has changed this schedule' });
  await box.getByText('Theirs: 60 s').waitFor();
  await box.getByRole('radiogroup', { name: 'Interval' }).getByLabel(/^Mine/).check();
  await box.getByRole('button', { name: 'Go on with this' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'Next times' }).waitFor();
  const merged = await client.getSchedule(greetings.id);
  assert.deepEqual(
    [merged.interval, merged.windowSeconds, merged.exclude, merged.body],
    ['0 9 * * *', 60, ['freeze'], nested],
  );

  // Snoozed on its page, and woken up in the list of its tag.
  await page.goto(`${url}/schedules/${sync.id}`);
  await page.getByRole('button', { name: 'Snooze' }).click();
  await page.getByRole('menuitem', { name: 'Snooze for 1 hour' }).click();
  await page.getByText(/^paused until /).waitFor();
  // It is on the screen before the service knows of it.
  const pausedUntil = async () => (await client.getSchedule(sync.id)).pausedUntil;
  await until('the snooze', async () => (await pausedUntil()) !== undefined);
  const leftMs = Date.parse((await pausedUntil())!) - Date.now();
  assert.ok(leftMs > HOUR_MS - 60_000 && leftMs <= HOUR_MS, `${leftMs}`);
  await page.getByRole('link', { name: 'team:sync' }).click();
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  assert.match(page.url(), /\?tag=team%3Async$/);
  await page.getByText(/^paused until /).waitFor();
  await page.getByText('Season’s greetings').waitFor({ state: 'detached' });
  await screenshot(page, 'timing-3-snoozed');
  await assertAccessible(page, 'schedules of a tag');
  await page.getByRole('button', { name: 'Snooze all with team:sync' }).click();
  await page.getByRole('menuitem', { name: 'Wake up' }).click();
  await page.getByText('1 schedule woken up.').waitFor();
  // The screen was first here, too.
  await until('the end of the snooze', async () => (await pausedUntil()) === undefined);

  // A herd is spread when its effect has been seen, and gathered again with one click.
  await client.createSchedules(
    Array.from({ length: 150 }, (_, index) => ({
      label: `Customer ${index}`,
      url: target,
      verb: 'POST' as const,
      interval: '0 * * * *',
      timezone: 'UTC',
    })),
  );
  const spread = async () => (await newest()).windowSeconds;
  await page.goto(`${url}/forecast`);
  const advice = page.getByRole('region', { name: 'Advice' });
  // The page asks for advice every 30 s, and its first answer may be of before.
  await advice.getByText('150 schedules', { exact: false }).waitFor({ timeout: 60_000 });
  await screenshot(page, 'timing-4-advice');
  await assertAccessible(page, 'an advice');
  await assertFits(page, 'an advice');
  await advice.getByRole('button', { name: /^Spread over/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Spread', exact: true }).click();
  await advice.getByText(/150 schedules are spread/).waitFor();
  // Both are on the screen before the service knows of them.
  await until('the window', async () => (await spread()) !== undefined);
  assert.ok((await spread())! >= 60);
  await advice.getByRole('button', { name: 'Undo' }).click();
  // The advice itself comes back with the next count, which is kept for a while.
  await advice.getByText(/150 schedules are spread/).waitFor({ state: 'detached' });
  await until('no window', async () => (await spread()) === undefined);
  assert.deepEqual(faults, []);
});
