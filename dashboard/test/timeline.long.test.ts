import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  share,
  signIn,
} from './support/browser.ts';
import { giveHistory } from './support/busy.ts';
import { startPunctual, startTarget } from './support/service.ts';

const DAY_SECONDS = 86_400;
const timelineOf = (page: Page) => page.getByRole('img', { name: /^Timeline from/ });

interface Counts {
  succeeded: number;
  failed: number;
  /** With what did not fire: while a slow service starts, times of each second are missed. */
  all: number;
}

/** How many times a timeline tells of. */
async function countsOf(page: Page): Promise<Counts> {
  const name = (await timelineOf(page).getAttribute('aria-label'))!;
  const count = (status: string) =>
    Number(new RegExp(`([\\d,]+) ${status}`).exec(name)?.[1]?.replaceAll(',', '') ?? 0);
  const [succeeded, failed] = [count('succeeded'), count('failed')];
  return { succeeded, failed, all: succeeded + failed + count('skipped') + count('missed') };
}

/** Waits until the timeline tells of as many, and of no others. */
async function waitForCounts(page: Page, isRight: (counts: Counts) => boolean) {
  let counts = await countsOf(page);
  for (let look = 0; look < 600 && !isRight(counts); look += 1) {
    await page.waitForTimeout(100);
    counts = await countsOf(page);
  }
  assert.ok(isRight(counts), JSON.stringify(counts));
}

/** The part of the lane's pixels along its middle that are not its ground: 0 to 1. */
function covered(page: Page, upTo: number): Promise<number> {
  return timelineOf(page).evaluate((element, upTo) => {
    const canvas = element as HTMLCanvasElement;
    const width = Math.floor(canvas.width * upTo);
    const middle = Math.floor(canvas.height / 2);
    const { data } = canvas.getContext('2d')!.getImageData(0, middle, width, 1);
    const style = getComputedStyle(canvas).getPropertyValue('--ground').trim();
    const ground = style.match(/[0-9a-f]{2}/gi)!.map(part => Number.parseInt(part, 16));
    let drawn = 0;
    for (let at = 0; at < width; at += 1) {
      const isGround = ground.every((part, index) => Math.abs(part - data[4 * at + index]!) < 8);
      if (!isGround) drawn += 1;
    }
    return drawn / width;
  }, upTo);
}

test('5,000 runs and more are in view at each zoom, and a click is told the truth; the wheel zooms down to single runs', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const schedule = await punctual.client.createSchedule({
    label: 'Heartbeat',
    url: target.url,
    verb: 'GET',
    interval: '* * * * * *',
    timezone: 'Asia/Tokyo',
  });
  await punctual.stop();
  giveHistory(punctual.folder, schedule.id, 7 * DAY_SECONDS, 1_000);
  await punctual.startAgain();
  const browser = await launch();
  context.after(() => browser.close());
  const { context: window, page, faults } = await openWindow(browser);
  await signIn(page, punctual.url, punctual.credentials);
  await page.goto(`${punctual.url}/schedules/${schedule.id}`);
  await page.getByText('By the clock of Asia/Tokyo').waitFor();
  const timeline = timelineOf(page);
  const expected = { '15 min': 900, '2 h': 7_200, '1 day': 86_400, '7 days': 604_800 };
  for (const [span, seconds] of Object.entries(expected)) {
    await page.getByText(span, { exact: true }).click();
    await page.mouse.move(5, 5);
    await waitForCounts(page, ({ all }) => all > seconds * 0.97 && all < seconds * 1.03);
    assert.ok((await covered(page, 0.84)) > 0.7, `it is full over ${span}`);
    const { width } = (await timeline.boundingBox())!;
    await timeline.click({ position: { x: width * 0.5, y: 20 } });
    const answer = page.getByRole('status').filter({ hasText: 'The time before:' });
    await answer.getByText(/It fired/).waitFor();
    assert.doesNotMatch((await answer.textContent())!, /never due/, span);
  }
  await page.getByText('2 h', { exact: true }).click();
  // So near to the truth that the steps of the longer span, which stand there for a moment, differ by less than below.
  await waitForCounts(page, ({ all }) => all > 7_200 * 0.97 && all < 7_200 * 1.03);
  const box = (await timeline.boundingBox())!;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  // The plain wheel belongs to the page.
  await page.mouse.move(middle.x, middle.y);
  const before = await countsOf(page);
  const scrolled = await page.evaluate(() => globalThis.scrollY);
  await page.mouse.wheel(0, 60);
  await page.waitForFunction(before => globalThis.scrollY !== before, scrolled);
  await page.evaluate('scrollTo(0, 0)');
  // The window goes on with the clock, by whole buckets. A zoom would be a tenth and more.
  const after = await countsOf(page);
  assert.ok(Math.abs(after.succeeded - before.succeeded) < 300, JSON.stringify({ before, after }));
  // With Ctrl it zooms at the pointer, down to single runs.
  await page.mouse.move(middle.x, middle.y);
  await page.keyboard.down('Control');
  for (let notch = 0; notch < 20; notch += 1) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  await waitForCounts(
    page,
    ({ succeeded, failed }) => succeeded + failed >= 3 && succeeded + failed <= 7,
  );
  for (const look of LOOKS) {
    const one = await openWindow(browser, look);
    await share(window, one.context);
    await one.page.goto(`${punctual.url}/schedules/${schedule.id}`);
    await timelineOf(one.page).waitFor();
    await waitForCounts(one.page, ({ succeeded }) => succeeded > 100);
    await assertAccessible(one.page, `the timeline, ${JSON.stringify(look)}`);
    await assertFits(one.page, `the timeline, ${JSON.stringify(look)}`);
    await one.context.close();
  }
  assert.deepEqual(faults, []);
});

const LOOKS = [
  { size: 'desktop', colorScheme: 'light' },
  { size: 'desktop', colorScheme: 'dark' },
  { size: 'phone', colorScheme: 'light' },
] as const;

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
  const timeline = timelineOf(page);
  await page.getByRole('list', { name: 'In this window' }).getByText('Not created yet').waitFor();
  const { width } = (await timeline.boundingBox())!;
  // Of the 1.15 days that are shown, its first coming time is less than half an hour after now.
  const next = Date.parse((await client.nextTimes(schedule.id)).times[0]!);
  const x = ((86_400_000 + next - Date.now()) / (1.15 * 86_400_000)) * width;
  await timeline.click({ position: { x: x + 2, y: 20 } });
  await page.getByText('It is to come: the schedule will fire then.').waitFor();
  await page.getByText(/This is the time of the schedule nearest to it/).waitFor();
  const halfAnHour = (1_800_000 / (1.15 * 86_400_000)) * width;
  await timeline.click({ position: { x: x + halfAnHour, y: 20 } });
  await page.getByText(/It was never due/).waitFor();
  // A pause takes the coming times away; the window stays where it is.
  await page.getByText('7 days', { exact: true }).click();
  await client.patchSchedule(schedule.id, { status: 'disabled' });
  await page
    .getByRole('list', { name: 'In this window' })
    .getByText('Paused', { exact: true })
    .waitFor();
  await page.locator('input[value="7 days"]:checked').waitFor({ state: 'attached' });
});

test('all schedules stand on one axis, now in the middle; a click opens one of them at that time', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const { client, url, credentials } = punctual;
  const made = [];
  // The next times of the first lane are half an hour away and a whole one later: none comes while the test goes on.
  const minute = (new Date().getUTCMinutes() + 30) % 60;
  const intervals = new Map([
    [0, `${minute} * * * *`],
    [23, '* * * * * *'],
  ]);
  for (let number = 0; number < 24; number += 1) {
    made.push(
      await client.createSchedule({
        label: `Lane ${String(number).padStart(2, '0')}`,
        url: target.url,
        verb: 'GET',
        interval: intervals.get(number) ?? `*/${(number % 9) + 2} * * * *`,
        timezone: 'UTC',
        tags: { half: number % 2 === 0 ? 'even' : 'odd' },
      }),
    );
  }
  const busy = made.at(-1)!;
  await punctual.stop();
  giveHistory(punctual.folder, busy.id, 3 * 3_600, 400);
  await punctual.startAgain();
  const browser = await launch();
  context.after(() => browser.close());
  const { context: window, page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.getByRole('link', { name: 'Timeline' }).click();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  const lanes = page.getByRole('list', { name: 'Schedules' }).getByRole('img');
  await page
    .getByRole('img', {
      name: /^Lane 23: 7,\d{3} succeeded, (.*, )?1[789] failed, 7,\d{3} to come/,
    })
    .waitFor();
  await page.getByRole('img', { name: /^Lane 00: 2 to come/ }).waitFor();
  assert.equal(await lanes.count(), 24);
  // No lane moves under the pointer.
  const lane = page.getByRole('img', { name: /^Lane 23:/ });
  const box = (await lane.boundingBox())!;
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await page.getByText(/^Lane 23, .* succeeded/).waitFor();
  assert.deepEqual(await lane.boundingBox(), box);
  await assertAccessible(page, 'the lanes');
  for (const look of LOOKS) {
    const one = await openWindow(browser, look);
    await share(window, one.context);
    await one.page.goto(`${url}/timeline`);
    await one.page.getByRole('img', { name: /^Lane 23: 7,/ }).waitFor();
    await assertAccessible(one.page, `the lanes, ${JSON.stringify(look)}`);
    await assertFits(one.page, `the lanes, ${JSON.stringify(look)}`);
    await screenshot(
      one.page,
      `timeline-${look.size}${look.colorScheme === 'dark' ? '-dark' : ''}`,
    );
    await one.context.close();
  }
  // By keyboard, and with a filter.
  await page.goto(`${url}/timeline?tag=half:odd`);
  await page.getByRole('img', { name: /^Lane 23: 7,/ }).waitFor();
  assert.equal(await lanes.count(), 12);
  const axis = page.getByRole('slider', { name: 'Time axis of all lanes' });
  await axis.focus();
  await page.keyboard.press('ArrowRight');
  assert.match((await axis.getAttribute('aria-valuetext'))!, /^Lane 23, .*to come/);
  await page.keyboard.press('ArrowDown');
  assert.match((await axis.getAttribute('aria-valuetext'))!, /^Lane 21, /);
  // A click opens the schedule at that time, and explains it.
  const at = (await lane.boundingBox())!;
  await page.mouse.click(at.x + at.width / 4, at.y + at.height / 2);
  await page.getByRole('heading', { name: 'Lane 23' }).waitFor();
  await page
    .getByRole('status')
    .getByText(/It fired/)
    .waitFor();
  const minutes = (Date.now() - Date.parse(new URL(page.url()).searchParams.get('at')!)) / 60_000;
  assert.ok(Math.abs(minutes - 60) < 3, `${minutes} minutes ago`);
  assert.deepEqual(faults, []);
});
