import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PunctualEvent } from '@punctual/client';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  share,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';
import { until } from './support/until.ts';

test('a host that does not answer is named on the overview, by the events and in the ledger, until it does', async context => {
  const [punctual, target] = await Promise.all([startPunctual(context), startTarget(context)]);
  const { client, url } = punctual;
  target.status = 0;
  const heard: PunctualEvent[] = [];
  const abort = new AbortController();
  context.after(() => abort.abort());
  const listening = (async () => {
    for await (const event of client.events({ signal: abort.signal })) heard.push(event);
  })().catch(() => {});
  const { items } = await client.createSchedules(
    [1, 2, 3].map(number => ({
      label: `Printer ${number}`,
      url: `${target.url}?${number}`,
      verb: 'GET' as const,
      interval: '* * * * * *',
      timezone: 'UTC',
      policy: { maxRetries: 0 },
    })),
  );
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults, context: window } = await openWindow(browser);
  await signIn(page, url, punctual.credentials);
  const host = new URL(target.url).host;
  const alert = page.getByText(`${host} has not answered since`);
  // The breaker opens after ten seconds, and the figures are asked for again after ten more where they were just told.
  await alert.waitFor({ timeout: 60_000 });
  await assertAccessible(page, 'a host does not answer');
  const phone = await openWindow(browser, { size: 'phone', colorScheme: 'dark' });
  await share(window, phone.context);
  await phone.page.goto(url);
  await phone.page.getByText(`${host} has not answered since`).waitFor();
  await assertFits(phone.page, 'a host does not answer');
  await assertAccessible(phone.page, 'a host does not answer, on a phone');
  await phone.context.close();

  const refused = async () => {
    const runs = await client.listRuns({ scheduleId: items[0]!.id, status: 'failed' });
    return runs.items.find(({ attempts }) => attempts[0]!.refused);
  };
  await until('a refused attempt', async () => (await refused()) !== undefined);
  const run = (await refused())!;
  const explained = await client.explain(items[0]!.id, { at: run.scheduledFor });
  assert.match(explained.sentence, /^It was due and failed: it was not sent: the breaker of http:/);
  await page.goto(`${url}/runs?run=${run.id}`);
  const attempt = page.getByRole('region', { name: 'Attempt 1', exact: true });
  await attempt.getByText('not sent', { exact: true }).waitFor();

  target.status = 200;
  await page.goto(url);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('Due next').waitFor();
  await alert.waitFor({ state: 'detached', timeout: 60_000 });
  const origin = new URL(target.url).origin;
  const told = () =>
    heard.flatMap(({ type, data }) => ('openedAt' in data ? [`${type} ${data.origin}`] : []));
  await until('both events of the breaker', () => told().length >= 2);
  assert.deepEqual(told(), [`breaker.opened ${origin}`, `breaker.closed ${origin}`]);
  abort.abort();
  await listening;
  assert.deepEqual(faults, []);
});
