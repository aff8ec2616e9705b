import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  launch,
  openWindow,
  screenshot,
  signIn,
} from './support/browser.ts';
import { startPunctual, startTarget } from './support/service.ts';
import { until } from './support/until.ts';

/** Order, spaces, a large number, a tab and a carriage return: JSON.parse would lose all of them. */
const PASTED =
  '{ "z": 12345678901234567890,\r\n\t"a":1.50,  "a": [ ],\n  "10": "é\u2028😀",\n"2":null }\n';

async function aForm(context: TestContext, look = {}) {
  const punctual = await startPunctual(context);
  const browser = await launch();
  context.after(() => browser.close());
  const { page, faults } = await openWindow(browser, look);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], {
    origin: punctual.url,
  });
  await signIn(page, punctual.url, punctual.credentials);
  return { ...punctual, page, faults };
}

const bodyOf = (page: Page) => page.getByRole('textbox', { name: 'Raw body' });
const editorOf = (page: Page) => page.locator('.cm-content');

async function openBody(page: Page): Promise<void> {
  await page.getByRole('button', { name: '+ Payload' }).click();
  await page
    .getByRole('radiogroup', { name: 'Kind of payload' })
    .getByText('Raw body', { exact: true })
    .click();
  await bodyOf(page).waitFor();
}

/** A paste of exactly these characters: a clipboard of the system may change the ends of lines. */
async function paste(page: Page, text: string): Promise<void> {
  await editorOf(page).evaluate((element: Element, pasted: string) => {
    const { DataTransfer, ClipboardEvent } = globalThis as unknown as {
      DataTransfer: new () => { setData(type: string, data: string): void };
      ClipboardEvent: new (type: string, init: object) => Event;
    };
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
}

test('a pasted body is sent byte for byte, and outlives a restart', async context => {
  const { url, client, page, faults, stop, startAgain } = await aForm(context);
  const target = await startTarget(context);
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Label').fill('As it was pasted');
  await page.getByLabel('Verb').selectOption('POST');
  await page.getByRole('textbox', { name: 'Url' }).fill(target.url);
  await openBody(page);
  await editorOf(page).focus();
  await paste(page, PASTED);
  await editorOf(page).getByText('12345678901234567890').waitFor();
  await assertAccessible(page, 'a body in the editor');
  await screenshot(page, 'editor-desktop');
  await stop();
  await startAgain();
  await page.reload();
  await editorOf(page).getByText('12345678901234567890').waitFor();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('The schedule was created.').first().waitFor();
  const { id, body } = (await client.listSchedules()).items[0]!;
  assert.equal(body, PASTED);
  await client.triggerSchedule(id);
  await until('a request of the schedule', () => target.arrivals.length > 0);
  assert.equal(target.arrivals[0]!.body, PASTED);
  assert.equal(target.arrivals[0]!.headers['content-type'], 'application/json');
  assert.deepEqual(faults, []);
});

test('a body of another editor comes into the form, and an edit of something else keeps it', async context => {
  const { url, client, page, faults } = await aForm(context);
  const { id } = await client.createSchedule({
    url: `${url}/echo`,
    verb: 'POST',
    interval: '0 9 * * *',
    timezone: 'UTC',
    label: 'Raw',
    body: PASTED,
  });
  await page.goto(`${url}/schedules/${id}/edit`);
  await editorOf(page).getByText('12345678901234567890').waitFor();
  await page.getByLabel('Label').fill('Mine');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The changes were saved.').waitFor();
  assert.equal((await client.getSchedule(id)).body, PASTED);

  await page.goto(`${url}/schedules/${id}/edit`);
  await editorOf(page).getByText('12345678901234567890').waitFor();
  await page.getByLabel('Label').fill('Mine again');
  // What happens before the page listens reaches nobody.
  await page.getByText('Live', { exact: true }).waitFor();
  await client.patchSchedule(id, { body: '{"theirs": true}' });
  await page.getByRole('button', { name: 'Go on with this' }).click();
  await editorOf(page).getByText('"theirs"').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The changes were saved.').waitFor();
  const { label, body } = await client.getSchedule(id);
  assert.deepEqual([label, body], ['Mine again', '{"theirs": true}']);
  assert.deepEqual(faults, []);
});

test('a mistake is told at its line, Escape and Tab leave the editor, and names are offered', async context => {
  const { url, page, faults } = await aForm(context, { colorScheme: 'dark' });
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Verb').selectOption('POST');
  await page.getByRole('textbox', { name: 'Url' }).fill(`${url}/echo`);
  await openBody(page);
  await page.getByText('Escape and then Tab leaves the editor.').waitFor();
  await editorOf(page).focus();
  await page.evaluate(watchMistake);
  await paste(page, '{\n  "a": 1\n  "b": 2\n}');
  const sentence = 'A comma is missing before this.';
  await page
    .getByRole('status')
    .filter({ hasText: `Line 3: ${sentence}` })
    .waitFor();
  const first = await page.evaluate('mistakeSeen');
  assert.deepEqual(first, { told: '' }, 'it is told when nobody types any more');
  const marked = page.locator('.cm-mistake-line');
  assert.equal(await marked.innerText(), '  "b": 2');
  assert.equal(await page.locator('.cm-mistake-text').innerText(), sentence);
  await assertAccessible(page, 'a mistake, dark');
  await screenshot(page, 'editor-mistake-dark');

  await page.keyboard.press('Tab');
  assert.equal(await editorOf(page).evaluate(isFocused), true, 'Tab alone indents');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.equal(await editorOf(page).evaluate(isFocused), false, 'Escape and Tab leave');

  // Names of templates, and the request with all names replaced.
  await page.getByRole('button', { name: '+ Delivery' }).click();
  await page.getByLabel('Replace names in the request').check();
  await editorOf(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('{"try": "{{run.att');
  await page.getByRole('option', { name: /^run\.attempt/ }).waitFor();
  await assertAccessible(page, 'names in the editor');
  // An Enter right after the list has come is a new line.
  await page.getByRole('option', { name: /^run\.attempt/ }).click();
  await page.keyboard.type('"}');
  await page
    .getByRole('region', { name: 'Body of the request' })
    .getByText('{"try": "1"}')
    .waitFor();
  assert.equal(await marked.count(), 0);
  assert.deepEqual(faults, []);
});

test('the form is usable before the editor has come, and without it', async context => {
  const { url, client, page, faults } = await aForm(context, { size: 'phone' });
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  const chunk = '**/assets/code-editor-*.js';
  await page.route(chunk, async route => {
    await held;
    await route.continue();
  });
  await page.goto(`${url}/schedules/new`);
  await page.getByLabel('Verb').selectOption('POST');
  await page.getByRole('textbox', { name: 'Url' }).fill(`${url}/echo`);
  await openBody(page);
  await bodyOf(page).fill('{"typed": "early"');
  await page.getByRole('status').filter({ hasText: 'The { of line 1 is not closed.' }).waitFor();
  const came = page.waitForResponse(chunk);
  release();
  await (await came).finished();
  // It does not take the field away from who types.
  await bodyOf(page).press('End');
  await bodyOf(page).pressSequentially('}');
  assert.equal(await bodyOf(page).inputValue(), '{"typed": "early"}');
  await page.getByRole('textbox', { name: 'Url' }).focus();
  await editorOf(page).getByText('"early"').waitFor();
  await assertFits(page, 'the editor on a phone');

  await page.unroute(chunk);
  await page.route(chunk, route => route.abort());
  await page.reload();
  await page.getByText('The editor could not be loaded. This field works without it.').waitFor();
  await bodyOf(page).fill('{"typed": "later"}');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('The schedule was created.').first().waitFor();
  assert.equal((await client.listSchedules()).items[0]!.body, '{"typed": "later"}');
  assert.deepEqual(faults, []);
});

/** Keeps what a screen reader has been told at the moment when a mistake is first seen. */
const watchMistake = `
  globalThis.mistakeSeen = null;
  new MutationObserver(() => {
    const seen = document.querySelector('[id$="-mistake"]');
    if (globalThis.mistakeSeen !== null || !seen?.textContent) return;
    const status = seen.closest('[role=status]') ?? seen.parentElement.querySelector('[role=status]');
    globalThis.mistakeSeen = { told: status.textContent };
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

function isFocused(element: Element): boolean {
  return element === element.ownerDocument.activeElement;
}
