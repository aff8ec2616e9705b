import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { PunctualClient, Run } from '@punctual/client';
import { assertAccessible, assertFits, launch, openWindow, signIn } from './support/browser.ts';
import { giveHistory } from './support/busy.ts';
import { startPunctual, startTarget } from './support/service.ts';

/** A run and its schedule's past, as somebody reads them who wants to know why it failed. */

async function ended(client: PunctualClient, id: string): Promise<Run> {
  for (;;) {
    const run = await client.getRun(id);
    if (run.finishedAt !== undefined) return run;
    await setTimeout(50);
  }
}

test('a run shows its trace, what it sent, and what differs from the last success', async context => {
  const punctual = await startPunctual(context);
  const { client, url } = punctual;
  const target = await startTarget(context);
  const made = await client.createSchedule({
    label: 'Print the invoices',
    url: target.url,
    verb: 'POST',
    interval: '@yearly',
    timezone: 'UTC',
    headers: { Authorization: 'Bearer s3cret-token', 'X-Shop': 'berlin' },
    data: { invoice: '7' },
    policy: { retryDelaysSeconds: [1], maxRetries: 1 },
  });
  const good = await ended(client, (await client.triggerSchedule(made.id)).id);
  await client.patchSchedule(made.id, { headers: { 'X-Shop': 'hamburg' } });
  target.status = 500;
  const bad = await ended(client, (await client.triggerSchedule(made.id)).id);
  await client.patchSchedule(made.id, { label: 'Print all invoices' });

  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  await page.goto(`${url}/runs?run=${bad.id}`);
  const drawer = page.getByRole('dialog', { name: 'Run of Print all invoices' });
  const trace = drawer.getByRole('table', { name: 'Trace' });
  for (const name of ['Attempt 1', 'Wait', 'Attempt 2']) {
    await trace.getByRole('rowheader', { name, exact: true }).waitFor();
  }
  await drawer.getByText('version 3. This run was sent as version 2.').waitFor();

  const request = drawer.getByRole('region', { name: 'Request of Attempt 2' });
  await request.getByText(target.url).waitFor();
  await request.getByText('hamburg').waitFor();
  await request.getByText('"invoice": "7"').waitFor();
  assert.doesNotMatch((await drawer.textContent())!, /s3cret-token/);
  await request.getByRole('button', { name: 'Show Authorization' }).click();
  await request.getByText('Bearer s3cret-token').waitFor();
  await drawer.getByRole('region', { name: 'Answer to Attempt 2' }).getByText('ink').waitFor();

  const differences = drawer.getByRole('table', { name: 'Differences' });
  for (const name of ['Result status 200 status 500', 'Header X-Shop berlin hamburg']) {
    await differences.getByRole('row', { name }).waitFor();
  }
  await assertAccessible(page, 'a run that failed');

  await drawer.getByRole('button', { name: 'Edit and send' }).click();
  const trial = drawer.getByRole('region', { name: 'Edit and send' });
  assert.equal(await trial.getByLabel('Body').inputValue(), '{"invoice":"7"}');
  const headers =
    'Authorization: Bearer s3cret-token\nX-Shop: hamburg\nContent-Type: application/json';
  assert.equal(await trial.getByLabel('Headers, one a line').inputValue(), headers);
  target.status = 200;
  await trial.getByLabel('Body').fill('{"invoice":8}');
  await trial.getByRole('button', { name: 'Send it' }).click();
  await trial.getByText('status 200').waitFor();
  const sent = target.arrivals.at(-1)!;
  assert.equal(sent.body, '{"invoice":8}');
  assert.equal(sent.headers['x-shop'], 'hamburg');
  await assertAccessible(page, 'an edited request with its answer');

  await drawer.getByRole('button', { name: 'Previous run' }).click();
  await page.waitForURL(new RegExp(`run=${good.id}`));
  await drawer.getByText('This run was sent as version 1.').waitFor();
  await drawer.getByRole('link', { name: 'Its schedule' }).click();
  await page.getByRole('heading', { level: 1, name: 'Print all invoices' }).waitFor();
  await page.goto(`${url}/schedules/${made.id}?run=${bad.id}`);
  await drawer.getByRole('button', { name: 'Edit and send' }).waitFor();
  assert.equal(await drawer.getByRole('link', { name: 'Its schedule' }).count(), 0);

  const phone = await openWindow(browser, { size: 'phone', colorScheme: 'dark' });
  await phone.context.addCookies(await page.context().cookies());
  await phone.page.goto(`${url}/runs?run=${bad.id}`);
  await phone.page.getByRole('table', { name: 'Differences' }).waitFor();
  await phone.page.getByRole('region', { name: 'Request of Attempt 2' }).waitFor();
  await assertAccessible(phone.page, 'a run that failed, on a dark phone');
  await assertFits(phone.page, 'a run on a phone');
  assert.deepEqual([...faults, ...phone.faults], []);
});

test('in a schedule with 5,000 runs the drawer goes from run to run', async context => {
  const punctual = await startPunctual(context);
  const { client, url } = punctual;
  const made = await client.createSchedule({
    label: 'Every second',
    url: `${url}/echo`,
    verb: 'GET',
    interval: '* * * * * *',
    timezone: 'UTC',
    status: 'disabled',
  });
  await punctual.stop();
  giveHistory(punctual.folder, made.id, 5_000, 10);
  await punctual.startAgain();
  const { items } = await client.listRuns({ scheduleId: made.id, limit: 100 });
  const [newest, middle] = [items[0]!, items[50]!];
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  await page.goto(`${url}/schedules/${made.id}?run=${middle.id}`);
  const drawer = page.getByRole('dialog', { name: 'Run of Every second' });
  const next = drawer.getByRole('button', { name: 'Next run' });
  const previous = drawer.getByRole('button', { name: 'Previous run' });
  await next.click();
  await page.waitForURL(new RegExp(`run=${items[49]!.id}`));
  await drawer.getByText(items[49]!.id).waitFor();
  await previous.click();
  await drawer.getByText(middle.id).waitFor();
  await previous.click();
  await drawer.getByText(items[51]!.id).waitFor();
  await page.goto(`${url}/schedules/${made.id}?run=${newest.id}`);
  await drawer.getByText(newest.id).waitFor();
  await previous.and(page.locator(':enabled')).waitFor();
  assert.ok(await next.isDisabled(), 'the newest run has none behind it');
  assert.deepEqual(faults, []);
});

test('a state of before is restored, also where somebody else was faster', async context => {
  const punctual = await startPunctual(context);
  const { client, url } = punctual;
  const made = await client.createSchedule({
    label: 'Backup',
    url: `${url}/echo`,
    verb: 'POST',
    interval: '0 3 * * *',
    timezone: 'UTC',
    headers: { Authorization: 'Bearer s3cret-token' },
    data: { full: 'yes' },
  });
  const { id } = made;
  await client.patchSchedule(id, { label: 'Broken', data: null, status: 'disabled' });
  await client.patchSchedule(id, { headers: { Authorization: 'Bearer other-token' } });

  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  await page.goto(`${url}/schedules/${id}`);
  const card = page.getByRole('region', { name: 'Changes' });
  const second = card.getByRole('listitem', { name: 'Version 2' });
  await second.getByText('label: Backup → Broken').waitFor();
  await second.getByText(/by the key/).waitFor();
  assert.doesNotMatch((await card.textContent())!, /-token/);
  await card.getByRole('button', { name: 'Show headers.Authorization' }).click();
  await card.getByText('Bearer s3cret-token → Bearer other-token').waitFor();
  await assertAccessible(page, 'the changes of a schedule');

  await card.getByRole('button', { name: 'Restore version 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
  await dialog.getByText('Status: disabled → enabled').waitFor();
  await dialog.getByText('Headers: Authorization (another value)').waitFor();
  await assertAccessible(page, 'what a restore changes');
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await card.getByRole('listitem', { name: 'Version 4' }).getByText('the present one').waitFor();
  const { updatedAt: _, ...restored } = await client.getSchedule(id);
  assert.deepEqual(restored, made);

  // Somebody else stores a change while this one looks at what a restore would do.
  await card.getByRole('button', { name: 'Restore version 2' }).click();
  const again = page.getByRole('dialog', { name: 'Restore version 2?' });
  await again.getByText('Label: Backup → Broken').waitFor();
  await client.patchSchedule(id, { interval: '0 4 * * *', label: 'Theirs' });
  await again.getByRole('button', { name: 'Restore', exact: true }).click();
  const conflict = again.getByRole('alert', { name: /Somebody else has changed/ });
  await conflict.getByRole('radio', { name: 'Theirs: 0 4 * * *' }).check();
  await conflict.getByRole('radio', { name: 'Mine: Broken' }).check();
  await assertAccessible(page, 'a conflict at a restore');
  await conflict.getByRole('button', { name: 'Go on with this' }).click();
  await again.waitFor({ state: 'detached' });
  const merged = await client.getSchedule(id);
  assert.deepEqual(
    [merged.label, merged.interval, merged.data],
    ['Broken', '0 4 * * *', undefined],
  );
  assert.deepEqual(faults, []);
});
