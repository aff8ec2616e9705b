import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../server/test/support/store/postgres-server.ts';
import { launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';
import { until } from './support/until.ts';

/** The dashboard below a path, behind nginx as docs/operations.md shows it. */

const PATH = `${process.env.PATH}:/usr/sbin`;
const hasNginx = spawnSync('nginx', ['-v'], { env: { PATH } }).status === 0;

/** @returns the address of the path that leads to the service */
async function nginx(context: TestContext, service: string): Promise<string> {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const [, shown = ''] = /```nginx\n([\s\S]*?)```/.exec(page)!;
  const folder = mkdtempSync(join(tmpdir(), 'punctual-nginx-'));
  const port = await freePort();
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `pid ${folder}/pid;
    error_log stderr;
    daemon off;
    events {}
    http {
      access_log off;
      ${kinds.map(kind => `${kind}_temp_path ${folder}/${kind};`).join('\n')}
      server {
        listen 127.0.0.1:${port};
        ${shown.replace('http://127.0.0.1:8080', service)}
      }
    }`,
  );
  const command = ['-p', folder, '-c', join(folder, 'nginx.conf')];
  const child = spawn('nginx', command, { env: { PATH }, stdio: ['ignore', 'ignore', 'inherit'] });
  context.after(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  const root = `http://127.0.0.1:${port}/punctual/`;
  const answers = () =>
    fetch(root)
      .then(({ ok }) => ok)
      .catch(() => false);
  await until('nginx', answers);
  return root;
}

test('the dashboard works below a path that nginx cuts off', {
  skip: hasNginx ? false : 'nginx is not installed: nothing is tested behind it',
}, async context => {
  const { url, credentials, client } = await startPunctual(context);
  const root = await nginx(context, url);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  const elsewhere: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith(root) && !request.url().startsWith('data:'))
      elsewhere.push(request.url());
  });
  await signIn(page, root, credentials);
  await page.getByText('Live', { exact: true }).waitFor();

  const schedule = await client.createSchedule({
    ...{ label: 'Below', url: `${url}/echo`, verb: 'GET', timezone: 'UTC', interval: '0 0 1 1 *' },
  } as const);
  await page.getByRole('link', { name: 'Schedules', exact: true }).click();
  await page.getByRole('link', { name: 'Below' }).click();
  assert.equal(page.url().split('?')[0], `${root}schedules/${schedule.id}`);
  await page.getByRole('heading', { level: 1, name: 'Below' }).waitFor();
  // The keys know which schedule it is, and deep addresses find their files.
  await page.keyboard.press('e');
  await page.getByRole('heading', { level: 1, name: 'Edit' }).waitFor();
  assert.equal(page.url(), `${root}schedules/${schedule.id}/edit`);
  await page.reload();
  await page.getByLabel('Label').fill('Further below');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Further below' }).waitFor();
  await page.goto(`${root}nothing/at/all`);
  await page.getByRole('link', { name: 'To the overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  assert.equal(page.url(), root);

  await page.getByRole('link', { name: 'API reference' }).click();
  await page.locator('.servers select').waitFor();
  assert.match(await page.locator('.servers select').innerText(), /\.\.\//);
  assert.equal(page.url(), `${root}docs`);
  await page.goto(root);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('ClientId').waitFor();
  assert.equal(page.url(), root);
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(faults, []);
});
