import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, assertFits, launch, openWindow, signIn } from './support/browser.ts';
import { giveHistory } from './support/busy.ts';
import { startPunctual, startTarget } from './support/service.ts';

const DAY_SECONDS = 86_400;

test('the timeline of a busy schedule is full where it ran, at each zoom, and a click there is told the truth', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const schedule = await punctual.client.createSchedule({
    label: 'Heartbeat',
    url: target.url,
    verb: 'GET',
    interval: '* * * * * *',
    timezone: 'Europe/Berlin',
  });
  await punctual.stop();
  giveHistory(punctual.folder, schedule.id, 7 * DAY_SECONDS, 1_000);
  await punctual.startAgain();
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, punctual.url, punctual.credentials);
  await page.goto(`${punctual.url}/schedules/${schedule.id}`);
  const timeline = page.getByRole('img', { name: /^Timeline from/ });
  const share = 1 / 1.15;
  /** How much of what has been is covered by bars, 0 to 1. */
  const covered = () =>
    timeline.evaluate((element, share) => {
      const past = element.getBoundingClientRect().width * share;
      const bars = [...element.querySelectorAll('title')].map(({ parentElement: bar }) => {
        const { left, width } = bar!.getBoundingClientRect();
        return Math.round(left + width / 2 - element.getBoundingClientRect().left);
      });
      const tenths = new Set(bars.map(at => Math.floor((at / past) * 20)));
      return [...tenths].filter(tenth => tenth >= 0 && tenth < 20).length / 20;
    }, share);
  for (const span of ['15 min', '2 h', '1 day', '7 days']) {
    await page.getByText(span, { exact: true }).click();
    await page.locator(`input[value="${span}"]:checked`).waitFor({ state: 'attached' });
    for (let look = 0; look < 100 && (await covered()) < 1; look += 1) {
      await page.waitForTimeout(200);
    }
    assert.equal(await covered(), 1, `it is full over ${span}`);
    await page.getByText('being counted…').waitFor({ state: 'detached' });
    const { width } = (await timeline.boundingBox())!;
    for (const part of [0.13, 0.5, 0.77]) {
      await timeline.click({ position: { x: width * share * part, y: 30 } });
      const answer = page.getByRole('status').filter({ hasText: 'The time before:' });
      await answer.getByText(/It fired/).waitFor();
      assert.doesNotMatch((await answer.textContent())!, /never due/, `${span}, at ${part}`);
    }
    await assertAccessible(page, `the timeline of ${span}`);
  }
  const counts = (await timeline.getAttribute('aria-label'))!;
  assert.match(counts, /60[45],\d{3} succeeded, .*60\d failed/);
  await assertFits(page, 'the timeline');
  assert.deepEqual(faults, []);
});

test('a click near a time of a slow schedule means that time, and one far from any is told that nothing is due', async context => {
  const punctual = await startPunctual(context);
  const { client, url, credentials } = punctual;
  const now = new Date();
  const minute = (now.getUTCMinutes() + 30) % 60;
  const schedule = await client.createSchedule({
    label: 'Hourly',
    url: `${url}/echo`,
    verb: 'GET',
    interval: `${minute} * * * *`,
    timezone: 'UTC',
  });
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/${schedule.id}`);
  await page.getByText('1 day', { exact: true }).click();
  const timeline = page.getByRole('img', { name: /^Timeline from/ });
  const { width } = (await timeline.boundingBox())!;
  // Of the 1.15 days that are shown, its first coming time is less than half an hour after now.
  const next = Date.parse((await client.nextTimes(schedule.id)).times[0]!);
  const x = ((86_400_000 + next - Date.now()) / (1.15 * 86_400_000)) * width;
  await timeline.click({ position: { x: x + 2, y: 30 } });
  await page.getByText('It is to come: the schedule will fire then.').waitFor();
  await page.getByText(/This is the time of the schedule nearest to it/).waitFor();
  const halfAnHour = (1_800_000 / (1.15 * 86_400_000)) * width;
  await timeline.click({ position: { x: x + halfAnHour, y: 30 } });
  await page.getByText(/It was never due/).waitFor();
});
