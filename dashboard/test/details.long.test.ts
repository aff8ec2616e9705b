import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from '../src/schedule/schedule-name.ts';
import { assertAccessible, launch, openWindow, signIn } from './support/browser.ts';
import { giveHistory } from './support/busy.ts';
import { startPunctual } from './support/service.ts';

test('a name is read as it is written: what turns or hides text is shown as what it is', () => {
  const named = (label: string) => nameOf({ label, url: 'https://a.example/b' });
  assert.equal(named('\u202efdp.hidden'), '[U+202E]fdp.hidden');
  assert.equal(named('a\u2066b\u200bc'), 'a[U+2066]b[U+200B]c');
  assert.equal(named('عربي 漢字 👩‍🚀'), 'عربي 漢字 👩‍🚀', 'letters and joined emoji stay');
  assert.equal(named('  '), 'a.example/b');
});

test('figures, headers, next times and clocks say what is so', async context => {
  const punctual = await startPunctual(context);
  const { client, url } = punctual;
  const schedule = await client.createSchedule({
    label: '\u202efdp.neddih',
    url: `${url}/echo`,
    verb: 'GET',
    interval: '* * * * * *',
    timezone: 'Asia/Tokyo',
    headers: { Authorization: 'Bearer s3cret' },
  });
  const off = await client.createSchedule({ ...schedule, label: 'Off', status: 'disabled' });
  await punctual.stop();
  giveHistory(punctual.folder, off.id, 58, 1);
  await punctual.startAgain();
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  await page.getByText('20 or more in a row').waitFor();
  await page.getByText('1 enabled, 1 paused').waitFor();
  await page.getByText('[U+202E]fdp.neddih').first().waitFor();
  // What is due is due now, and never was a while ago.
  const due = page.getByRole('region', { name: 'Due next' });
  for (let look = 0; look < 20; look += 1) {
    assert.doesNotMatch((await due.textContent())!, /ago/);
    await page.waitForTimeout(200);
  }

  await page.goto(`${url}/schedules/${schedule.id}`);
  await page.getByRole('heading', { level: 1, name: '[U+202E]fdp.neddih' }).waitFor();
  const configuration = page.getByRole('region', { name: 'Configuration' });
  await configuration.getByText('Authorization').waitFor();
  assert.doesNotMatch((await configuration.textContent())!, /s3cret/);
  await configuration.getByRole('button', { name: 'Show values' }).click();
  await configuration.getByText('Bearer s3cret').waitFor();
  await configuration.getByRole('button', { name: 'Hide values' }).click();
  await configuration.getByText('Bearer s3cret').waitFor({ state: 'detached' });
  await configuration
    .getByText(/Europe\/Berlin/)
    .first()
    .waitFor();
  await page
    .getByText(/^By the clock of /)
    .first()
    .waitFor();
  const times = page.getByRole('table', { name: 'Next times' });
  await times.getByRole('cell').first().waitFor();
  for (let look = 0; look < 5; look += 1) {
    const [text, since] = await times.evaluate(afterASecond);
    const at = Date.parse(`${text.replaceAll(',', '')} GMT+0900`);
    assert.ok(at > since, `${text} was over ${since - at} ms before`);
  }
  // An explanation speaks of one clock, the schedule's.
  await page.getByLabel('A time in Asia/Tokyo').fill('2026-01-01T00:00:00');
  await page.getByRole('button', { name: 'Explain' }).click();
  const created = new Date((await client.getSchedule(schedule.id)).createdAt);
  const tokyo = created.toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo' });
  await page
    .getByRole('region', { name: 'Why did it run, or not?' })
    .getByText(new RegExp(`The schedule was created later, at .*${tokyo}`))
    .waitFor();
  await page
    .getByRole('region', { name: 'Runs' })
    .getByRole('row')
    .nth(2)
    .getByRole('button')
    .click();
  await page.getByText(/it is sent as its schedule is today/).waitFor();
  await assertAccessible(page, 'a run, of which nobody thinks that it is sent again as it was');
  assert.deepEqual(faults, []);
});

/**
 * The first time of a table, in its first column, after a second and some more; and when this began. The page counts each
 * second, so it has counted one since then, even where it stood still for a while.
 */
async function afterASecond(table: Element): Promise<[string, number]> {
  const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
  const since = Date.now();
  await pause(1_100);
  // The table is drawn a moment after the count.
  await pause(100);
  return [table.querySelector('tbody td')!.textContent!, since];
}
