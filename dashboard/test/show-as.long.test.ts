import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { ScheduleInput } from '@punctual/client';
import { parse } from 'yaml';
import { inputThatMakes } from '../src/schedule-text/schedule-code.ts';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  signIn,
} from './support/browser.ts';
import { startPunctual } from './support/service.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

const INPUT: Omit<ScheduleInput, 'url'> = {
  label: "It's \"odd\" & 'so' $HOME `x` \\",
  verb: 'POST',
  interval: '0 9 * * 1-5',
  timezone: 'Europe/Berlin',
  headers: { Authorization: 'Bearer abc', Accept: 'text/plain' },
  body: '{ "big": 12345678901234567890,\r\n\t"ä": "\u2028" }\n',
  tags: { team: 'billing' },
  policy: { timeoutSeconds: 7, success: { statuses: ['2xx'] } },
  integrations: [{ type: 'WEBHOOK', url: 'https://example.com/hook', name: 'Pager' }],
};

test('what is shown as cURL, TypeScript and YAML makes the same schedule again', async context => {
  const { url, client, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  await signIn(page, url, credentials);
  const first = await client.createSchedule({ ...INPUT, url: `${url}/echo` });
  const wanted = inputThatMakes(first);
  const madeBy = async (make: () => Promise<unknown>) => {
    await make();
    const { items } = await client.listSchedules({ limit: 1 });
    assert.notEqual(items[0]!.id, first.id);
    const made = inputThatMakes(await client.getSchedule(items[0]!.id));
    assert.deepEqual(made, wanted);
    await client.deleteSchedule(items[0]!.id);
  };
  const env = {
    ...process.env,
    CLIENT_ID: credentials.clientId,
    API_KEY: credentials.apiKey,
  };

  await page.goto(`${url}/schedules/${first.id}`);
  await page.getByRole('button', { name: 'Show as code' }).click();
  const dialog = page.getByRole('dialog', { name: 'The schedule as code' });
  const code = (name: string) => dialog.getByRole('region', { name: `The schedule as ${name}` });
  await code('cURL').waitFor();
  assert.doesNotMatch(await code('cURL').innerText(), /Bearer abc/);
  assert.equal(await dialog.getByRole('button', { name: 'Copy' }).isDisabled(), true);
  await dialog.getByText('it cannot be copied until you show them').waitFor();
  await assertAccessible(page, 'a schedule as code');
  await screenshot(page, 'show-as-desktop');
  await dialog.getByLabel('Show secret values: Authorization').check();
  await code('cURL').filter({ hasText: 'Bearer abc' }).waitFor();
  // The button says it for a second only: the clock of the page stands still meanwhile.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  await page.clock.resume();
  const command = (await page.evaluate('navigator.clipboard.readText()')) as string;
  assert.equal(command, await code('cURL').evaluate(textOf));
  await madeBy(() => run('sh', ['-c', `${command} --silent --fail`], { env }));

  const forms = dialog.getByRole('radiogroup', { name: 'Show as' });
  await forms.getByText('TypeScript').click();
  const program = await code('TypeScript').evaluate(textOf);
  await compiles(context, program);
  const node = ['--conditions=punctual-source', '--input-type=module-typescript', '-e', program];
  await madeBy(() => run(process.execPath, node, { env, cwd: join(ROOT, 'dashboard') }));

  await forms.getByText('YAML').click();
  const input = parse(await code('YAML').evaluate(textOf)) as ScheduleInput;
  await madeBy(() => client.createSchedule(input));
  assert.deepEqual(faults, []);
});

test('a form is shown as code before it is saved, on a phone too', async context => {
  const { url, credentials } = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser, { size: 'phone', colorScheme: 'dark' });
  await signIn(page, url, credentials);
  await page.goto(`${url}/schedules/new`);
  await page.getByRole('textbox', { name: 'Url' }).fill('https://example.com/from-the-form');
  await page.getByRole('button', { name: 'Show as code' }).click();
  const shown = page.getByRole('region', { name: 'The schedule as cURL' });
  await shown.filter({ hasText: 'https://example.com/from-the-form' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Copy' }).isEnabled(), true);
  await assertAccessible(page, 'a form as code, dark');
  await assertFits(page, 'a form as code');
  await screenshot(page, 'show-as-phone');
  assert.deepEqual(faults, []);
});

/** Its text with each space and line, which `innerText` may change. */
function textOf(element: Element): string {
  return element.textContent!;
}

/** The compiler finds no mistake in it, by the rules of the project. */
async function compiles(context: TestContext, program: string): Promise<void> {
  const folder = mkdtempSync(join(ROOT, 'dashboard/dist/shown-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'shown.ts');
  writeFileSync(file, program);
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
  const client = ['--customConditions', 'punctual-source', '--allowImportingTsExtensions'];
  const rules = [
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--types',
    'node',
    '--ignoreConfig',
  ];
  await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...client, ...rules, file]);
}
