import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  assertAccessible,
  assertFits,
  closeMessage,
  launch,
  openWindow,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';
import { until } from './support/until.ts';

async function aWindow(context: TestContext) {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const window = await openWindow(browser);
  await signIn(window.page, punctual.url, punctual.credentials);
  return { ...punctual, ...window, browser };
}

test('rows stay under the pointer, what is picked stays picked, and what is new is counted', async context => {
  const { page, client, url, faults } = await aWindow(context);
  await client.createSchedules(
    Array.from({ length: 20 }, (_, index) => ({
      label: `Second ${index}`,
      url: `${url}/echo`,
      verb: 'GET' as const,
      interval: '* * * * * *',
      timezone: 'UTC',
    })),
  );
  const runCount = async () => (await client.listRuns({ limit: 100 })).items.length;
  await until('100 runs', async () => (await runCount()) >= 100);
  await page.goto(`${url}/runs`);
  const rows = page.locator('tbody tr');
  const row = rows.nth(3);
  await row.hover();
  // The names of schedules come by themselves, after the runs; and a run that still goes on says later how it ended.
  await row.getByText(/^Second \d+$/).waitFor();
  await row.getByText(/^(succeeded|failed|skipped|missed)$/).waitFor();
  const [text, box] = [await row.textContent(), await row.boundingBox()];
  // Within five seconds a hundred new ones come: twice as many as a page has. The count stands at 50 for a moment only.
  const fresh = page.getByRole('button', { name: /^\d{2,}\+ new$/ });
  await fresh.waitFor();
  assert.deepEqual([await row.textContent(), await row.boundingBox()], [text, box]);
  await row.getByRole('checkbox').check();
  const picked = page.getByRole('toolbar', { name: 'For the picked runs' });
  await picked.getByText('1 picked, of 1 schedule').waitFor();
  assert.deepEqual(await row.boundingBox(), box, 'no row moves when the first is picked');
  await page.mouse.move(5, 5);
  await page.waitForTimeout(1_500);
  assert.equal(await row.textContent(), text);
  await assertAccessible(page, 'runs that are held');

  // Another page, and back to what is new: the pick stays, and its count is true.
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('Page 2').waitFor();
  await picked.getByText('1 picked, of 1 schedule').waitFor();
  // Until the page is there, the rows of the one before stand in its place.
  await page.locator('[aria-busy=false] tbody tr').first().waitFor();
  await rows.first().getByRole('checkbox').check();
  await picked.getByText(/2 picked, of [12] schedule/).waitFor();
  await page.goBack();
  await page.getByText('Page 1').waitFor();
  await page.getByRole('button', { name: /new$/ }).click();
  assert.notEqual(await rows.first().textContent(), text);
  await picked.getByText(/2 picked, of [12] schedule/).waitFor();
  await picked.getByRole('button', { name: 'Send again' }).click();
  await page.getByText(/[12] runs? sent again/).waitFor();
  await picked.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});

test('pages of a list are in the address: Back and a reload come to the same one, read from its top', async context => {
  const { page, client, url, browser, context: first } = await aWindow(context);
  await client.createSchedules(
    Array.from({ length: 130 }, (_, index) => ({
      label: index === 0 ? 'A' : `Customer ${index}`,
      url: `${url}/echo?customer=${index}`,
      verb: 'GET' as const,
      interval: '0 0 1 1 *',
      timezone: 'UTC',
    })),
  );
  await page.goto(`${url}/schedules`);
  const older = page.getByRole('button', { name: 'Older' });
  for (const next of [2, 3]) {
    await older.click();
    await page.getByText(`Page ${next}`).waitFor();
    const top = await page.getByRole('table').evaluate(table => table.getBoundingClientRect().top);
    assert.ok(top > 0 && top < 400, `the table begins at ${top}`);
  }
  const third = page.getByRole('link', { name: 'Customer 20', exact: true });
  await third.waitFor();
  await page.getByLabel('Pick Customer 20').check();
  await third.click();
  await page.getByRole('heading', { name: /Customer 20/ }).waitFor();
  await page.goBack();
  await page.getByText('Page 3').waitFor();
  await third.waitFor();
  await page.reload();
  await third.waitFor();
  await page.getByRole('button', { name: 'Newer' }).click();
  await page.getByRole('link', { name: 'Customer 129', exact: true }).waitFor();
  // Another search begins with its first page.
  await older.click();
  await page.getByText('Page 2').waitFor();
  await page.getByLabel('Label contains').fill('Customer');
  await page.getByText('Page 1').waitFor();
  assert.doesNotMatch(page.url(), /cursor|page=/);

  // The shortest label is large enough to be hit, in each width.
  for (const width of [375, 768]) {
    const narrow = await openWindow(browser, { size: 'phone' });
    await share(first, narrow.context);
    await narrow.page.setViewportSize({ width, height: 800 });
    await narrow.page.goto(`${url}/schedules`);
    await narrow.page.getByRole('link', { name: 'Customer 129', exact: true }).waitFor();
    for (let next = 2; next <= 3; next += 1) {
      await narrow.page.getByRole('button', { name: 'Older' }).click();
      await narrow.page.getByText(`Page ${next}`).waitFor();
    }
    await narrow.page.getByRole('link', { name: 'A', exact: true }).waitFor();
    await assertFits(narrow.page, `schedules, ${width}`);
    await assertAccessible(narrow.page, `schedules, ${width}`);
    await narrow.context.close();
  }
});

test('no table is wider than its card, however narrow the window is', async context => {
  const { page, client, url, faults } = await aWindow(context);
  const long = 'A label that takes more room than there is in a narrow window';
  const { id } = await client.createSchedule({
    ...{ label: long, url: 'http://127.0.0.1:1/refused', verb: 'GET' },
    ...{ interval: '* * * * * *', timezone: 'UTC', tags: { team: 'billing' } },
  } as const);
  for (const [path, there] of [
    ['/schedules', long],
    ['/runs', 'The connection to 127.0.0.1:1 was refused.'],
    [`/schedules/${id}`, 'The connection to 127.0.0.1:1 was refused.'],
    ['/forecast', 'Busiest minutes'],
    ['/keys', 'valid'],
  ] as const) {
    await page.goto(url + path);
    await page.getByText(there).first().waitFor();
    for (const width of [700, 770, 900, 1_000, 1_130]) {
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page, `${path} at ${width} px`);
    }
    // Cards have room for all, tables at least for the result.
    for (const width of [700, 770]) {
      await page.setViewportSize({ width, height: 800 });
      if (path === '/schedules') await page.getByText('no answer').first().waitFor();
    }
  }
  assert.deepEqual(faults, []);
});

test('what is picked among schedules stays picked on other pages, and a deleted one is gone', async context => {
  const { page, client, url } = await aWindow(context);
  await client.createSchedules(
    Array.from({ length: 60 }, (_, index) => ({
      label: `Customer ${index}`,
      url: `${url}/echo`,
      verb: 'GET' as const,
      interval: '0 0 1 1 *',
      timezone: 'UTC',
    })),
  );
  await page.goto(`${url}/schedules`);
  await page.getByLabel('Pick Customer 59').check();
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByLabel('Pick Customer 3', { exact: true }).check();
  await page.getByText('2 picked').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 schedules deleted.').waitFor();
  await page.getByLabel('Pick Customer 3', { exact: true }).waitFor({ state: 'detached' });
  await closeMessage(page, '2 schedules deleted.');
  const labels = async () =>
    (await client.listSchedules({ limit: 100 })).items.map(({ label }) => label);
  await until('58 schedules', async () => (await labels()).length <= 58);
  const left = await labels();
  assert.equal(left.length, 58);
  assert.ok(!left.includes('Customer 59') && !left.includes('Customer 3'));
});
