import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { newDraft } from '../src/form/draft.ts';
import { forgetDrafts, keepDraft, keptDraft } from '../src/form/kept-drafts.ts';
import { fillIn, launch, openWindow, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';

/** As a browser's sessionStorage is. */
function aShelf() {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
    key: (index: number) => [...texts.keys()][index] ?? null,
    get length() {
      return texts.size;
    },
  };
}

test('a draft is its client’s own, and all are gone when one signs out', () => {
  const shelf = aShelf();
  const kept = { draft: { ...newDraft('UTC'), headers: [['Authorization', 'Bearer x']] as never } };
  keepDraft('mine', null, kept, shelf);
  keepDraft('mine', 'some-id', kept, shelf);
  shelf.setItem('of another program', 'stays');
  assert.deepEqual(keptDraft('mine', null, shelf), kept);
  assert.equal(keptDraft('theirs', null, shelf), null);
  assert.equal(keptDraft('mine', 'other-id', shelf), null);
  forgetDrafts(shelf);
  assert.deepEqual([...shelf.texts.keys()], ['of another program']);
});

const SECRET = 'Bearer s3cret-of-the-first';
const stored = (page: Page) => page.evaluate('JSON.stringify({ ...sessionStorage })');

async function typeSecret(page: Page, url: string) {
  await page.goto(`${url}/schedules/new`);
  const command = `curl ${url}/echo -H 'Authorization: ${SECRET}'`;
  await page.getByLabel('Paste a request to fill this in').fill(command);
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.getByText('The form is filled in.').waitFor();
  assert.match(String(await stored(page)), /s3cret/, 'a reload does not lose it');
}

test('a draft with a token is gone after the sign-out, and nobody else finds it in their form', async context => {
  const punctual = await startPunctual(context);
  const { url, credentials } = punctual;
  const other = await punctual.createClient('somebody else');
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser);
  await signIn(page, url, credentials);
  await typeSecret(page, url);
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in to Punctual' }).waitFor();
  assert.doesNotMatch(String(await stored(page)), /s3cret/);

  // Without a sign-out: the session ends, and another client signs in over the page.
  const key = await punctual.client.createKey({ name: 'for a while' });
  await signIn(page, url, { clientId: credentials.clientId, apiKey: key.apiKey });
  await typeSecret(page, url);
  await punctual.revoke(key.id);
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await fillIn(page, other);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel(/^Url/).waitFor();
  const values = await page
    .locator('input')
    .evaluateAll(inputs => inputs.map(input => (input as HTMLInputElement).value));
  assert.deepEqual(
    values.filter(value => value.includes('s3cret')),
    [],
  );
  await page.reload();
  await page.getByRole('heading', { name: 'New schedule' }).waitFor();
  assert.equal(await page.getByLabel('Name of header 1').count(), 0);
  assert.deepEqual(faults, []);
});
