import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { until } from './support/until.ts';

/** Timelines by hand: drag and keys, the marks of changes, new results, and the figures of charts. */

const timelineOf = (page: Page) => page.getByRole('img', { name: /^Timeline from/ });
const axisOf = (page: Page) => page.getByRole('slider', { name: 'Time axis of the timeline' });

/** The window of the axis, epoch ms. Both ends are read at once: the window goes on with the clock. */
async function windowOf(page: Page): Promise<{ from: number; to: number; span: number }> {
  const [from, to] = await axisOf(page).evaluate(axis => [
    Number(axis.ariaValueMin),
    Number(axis.ariaValueMax),
  ]);
  return { from: from!, to: to!, span: to! - from! };
}

/** Counts the questions why, from here on. */
function countQuestions(page: Page): { asked: number } {
  const questions = { asked: 0 };
  page.on('request', request => {
    if (new URL(request.url()).pathname.endsWith('/explain')) questions.asked += 1;
  });
  return questions;
}

async function waitForWindow(
  page: Page,
  isRight: (window: { from: number; to: number; span: number }) => boolean,
): Promise<void> {
  await until('the window', async () => isRight(await windowOf(page)));
}

test('a timeline is moved by a drag, and zoomed and moved by the keys; the figures of charts are told by the keys', async context => {
  const punctual = await startPunctual(context);
  const { client, url, credentials } = punctual;
  // Its next time does not come while the test goes on.
  const minute = (new Date().getUTCMinutes() + 30) % 60;
  const schedule = await client.createSchedule({
    label: 'Hourly',
    url: `${url}/echo`,
    verb: 'GET',
    interval: `${minute} * * * *`,
    timezone: 'UTC',
  });
  // A chart counts it in the minute of its end, and the list has it in the minute of its time.
  if (new Date().getUTCSeconds() > 55) await sleep(5_000);
  await client.triggerSchedule(schedule.id);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/${schedule.id}`);
  await timelineOf(page).waitFor();
  await page.getByText('1 day', { exact: true }).click();
  await page.mouse.move(5, 5);
  const before = await windowOf(page);
  const questions = countQuestions(page);

  // To the right, into the past, by a quarter of the lane. It is no click: nothing is asked.
  const box = (await timelineOf(page).boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.75, y, { steps: 4 });
  await page.mouse.up();
  const near = (a: number, b: number) => Math.abs(a - b) < before.span * 0.02;
  await waitForWindow(page, ({ from }) => near(before.from - from, before.span / 4));
  await page.mouse.move(5, 5);
  // It stands still, and the address keeps it.
  await page.waitForURL(/[?&]at=/);
  const dragged = await windowOf(page);
  await page.reload();
  await timelineOf(page).waitFor();
  await waitForWindow(page, ({ from }) => near(from, dragged.from));

  await axisOf(page).focus();
  await page.keyboard.press('+');
  await waitForWindow(page, ({ span }) => near(span, before.span / 2));
  await page.keyboard.press('-');
  await waitForWindow(page, ({ span }) => near(span, before.span));
  const still = await windowOf(page);
  await page.keyboard.press('Shift+ArrowRight');
  await waitForWindow(page, ({ from }) => near(from, still.from + still.span / 4));
  await page.keyboard.press('PageUp');
  await waitForWindow(page, ({ from }) => near(from, still.from - still.span * 0.75));
  await page.keyboard.press('Home');
  await waitForWindow(page, ({ to }) => to > Date.now());
  // From step to step, and why, as soon as the steps of this window are there.
  await page.getByRole('img', { name: /^Timeline from .* to come/ }).waitFor();
  await page.keyboard.press('ArrowRight');
  assert.match((await axisOf(page).getAttribute('aria-valuetext'))!, /: 1 to come$/);
  // Neither the drag nor the keys have asked anything yet.
  assert.equal(questions.asked, 0);
  await page.keyboard.press('Enter');
  await page.getByText('It is to come: the schedule will fire then.').waitFor();

  // The figures of a chart, one minute after the other, and the runs of that minute.
  await page.getByRole('link', { name: 'Overview' }).click();
  const chart = page.getByRole('group', { name: /Enter shows its runs\.$/ }).first();
  await chart.focus();
  const values = chart.getByRole('status');
  await page.keyboard.press('ArrowLeft');
  const last = (await values.textContent())!;
  assert.match(last, /^\d\d:\d\d: /);
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await values.textContent(), last);
  for (let minute = 0; minute < 60; minute += 1) {
    if (/succeeded 1/i.test((await values.textContent())!)) break;
    await page.keyboard.press(minute === 0 ? 'ArrowRight' : 'ArrowLeft');
  }
  assert.match((await values.textContent())!, /succeeded 1/i);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.getByRole('table').getByText('Hourly').first().waitFor();
  assert.deepEqual(faults, []);
});

test('changes are marks on the timeline: who, when and what differs, and each leads to a restore', async context => {
  const punctual = await startPunctual(context);
  const { client, url, credentials } = punctual;
  const schedule = await client.createSchedule({
    label: 'Changed',
    url: `${url}/echo`,
    verb: 'GET',
    interval: '0 * * * *',
    timezone: 'UTC',
  });
  await client.patchSchedule(schedule.id, { interval: '5 * * * *' });
  await client.patchSchedule(schedule.id, { label: 'Changed twice' });
  const browser = await launch();
  context.after(() => browser.close());
  const { context: window, page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/${schedule.id}`);
  const marks = page.getByRole('group', { name: 'Changes' });
  const mark = marks.getByRole('button', {
    name: /^3 changes, .*label from Changed to Changed twice$/,
  });
  await mark.waitFor();
  for (const look of LOOKS) {
    const one = await openWindow(browser, look);
    await share(window, one.context);
    await one.page.goto(`${url}/schedules/${schedule.id}`);
    await one.page.getByRole('button', { name: /^3 changes, / }).waitFor();
    const name = `${look.size}${look.colorScheme === 'dark' ? '-dark' : ''}`;
    await assertAccessible(one.page, `marks, ${name}`);
    await assertFits(one.page, `marks, ${name}`);
    await screenshot(one.page, `timeline-marks-${name}`);
    await one.context.close();
  }
  // By the keys: from the axis it is the next stop.
  await axisOf(page).focus();
  await page.keyboard.press('Tab');
  assert.match((await page.locator(':focus').getAttribute('aria-label'))!, /^3 changes, /);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: '3 changes' });
  const second = dialog.getByRole('listitem', { name: 'Version 2' });
  await second.getByText(/, by the key /).waitFor();
  await second.getByText('0 * * * *').waitFor();
  await second.getByText('5 * * * *').waitFor();
  await assertAccessible(page, 'the changes of a mark');
  // The timeline behind it hears nothing of a click and a drag in it.
  const questions = countQuestions(page);
  const before = await windowOf(page);
  const text = second.getByText('5 * * * *');
  await text.click();
  const box = (await text.boundingBox())!;
  await page.mouse.move(box.x + 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  assert.ok(await dialog.evaluate(element => element.contains(document.activeElement)));
  assert.ok(Math.abs((await windowOf(page)).span - before.span) < 1);
  assert.ok((await windowOf(page)).from - before.from >= 0, 'the window has moved back');
  await dialog.getByRole('button', { name: 'Restore version 1' }).click();
  const restore = page.getByRole('dialog', { name: 'Restore version 1?' });
  await restore.getByText('Changed twice').waitFor();
  await restore.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Changed', exact: true }).waitFor();
  assert.equal(questions.asked, 0);
  assert.equal((await client.getSchedule(schedule.id)).interval, '0 * * * *');
  await marks.getByRole('button', { name: /^4 changes, / }).waitFor();
  assert.deepEqual(faults, []);
});

const LOOKS = [
  { size: 'desktop', colorScheme: 'light' },
  { size: 'phone', colorScheme: 'dark' },
] as const;

test('new results appear on the lanes of all schedules while they are looked at', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const { client, url, credentials } = punctual;
  const schedule = await client.createSchedule({
    label: 'Beat',
    url: target.url,
    verb: 'GET',
    interval: '* * * * * *',
    timezone: 'UTC',
  });
  await punctual.stop();
  giveHistory(punctual.folder, schedule.id, 60, 1_000);
  await punctual.startAgain();
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/timeline`);
  await page.getByText('30 min', { exact: true }).click();
  await page.mouse.move(5, 5);
  const lane = page.getByRole('img', { name: /^Beat: / });
  const told = async (word: string) =>
    Number(
      new RegExp(`([\\d,]+) ${word}`)
        .exec((await lane.getAttribute('aria-label'))!)?.[1]
        ?.replaceAll(',', '') ?? 0,
    );
  await page.getByRole('img', { name: /^Beat: .*succeeded/ }).waitFor();
  const before = await told('succeeded');
  await until('five results more', async () => (await told('succeeded')) >= before + 5);
  // A failure is told as one, too.
  target.status = 500;
  await until('three failures', async () => (await told('failed')) >= 3);
  assert.deepEqual(faults, []);
});
