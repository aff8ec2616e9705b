import assert from 'node:assert/strict';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium as engine, type Page } from 'playwright-core';
import { unpackedChromium } from './unpacked-chromium.ts';

/** A real Chromium, which comes with a package. */
export async function launch(): Promise<Browser> {
  return engine.launch({
    executablePath: await unpackedChromium(),
    // In one process it dies with the first page that is closed.
    args: [...chromium.args.filter(arg => arg !== '--single-process'), '--no-sandbox'],
    headless: true,
  });
}

export const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 375, height: 812 },
  tablet: { width: 768, height: 1024 },
  wide: { width: 2560, height: 1440 },
  /** A desktop at 200 %. */
  zoomed: { width: 640, height: 400 },
} as const;

export interface Look {
  size?: keyof typeof SIZES;
  colorScheme?: 'light' | 'dark';
  /** Pixels of the screen for each px of the page. */
  pixelRatio?: number;
}

/** A window of its own, and what went wrong in it. */
export async function openWindow(
  browser: Browser,
  { size = 'desktop', colorScheme = 'light', pixelRatio = 1 }: Look = {},
) {
  const context = await browser.newContext({
    viewport: SIZES[size],
    deviceScaleFactor: pixelRatio,
    colorScheme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(error.message));
  page.on('console', message => {
    // What the service refuses, the browser notes as well; the page shows it in words.
    const isRefusal = /Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INTERNET/.test(
      message.text(),
    );
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  });
  return { context, page, faults };
}

export async function signIn(page: Page, url: string, credentials: Credentials): Promise<void> {
  await page.goto(url);
  await fillIn(page, credentials);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

export interface Credentials {
  clientId: string;
  apiKey: string;
}

export async function fillIn(page: Page, { clientId, apiKey }: Credentials): Promise<void> {
  await page.getByLabel('ClientId').fill(clientId);
  await page.getByLabel(/^ApiKey/).fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The cookies of a window that is signed in, for others. */
export async function share(from: BrowserContext, to: BrowserContext): Promise<void> {
  await to.addCookies(await from.cookies());
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  help: string;
  nodes: { target: string[]; any: { message: string }[] }[];
}

/** What is old is dimmed for the moment in which its successor is on its way: no look at contrasts is meant for that. */
const UNDIMMED = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.old { opacity: 1 !important; transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}`;

/** WCAG 2.2 AA, as far as a program can tell (https://github.com/dequelabs/axe-core). */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await page.evaluate(UNDIMMED);
  await page.evaluate(axe);
  const violations = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`,
  )) as Violation[];
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${help} (${target.join(' ')}) ${any[0]?.message ?? ''}`),
  );
  assert.deepEqual(found, [], what);
}

/** A window that was resized a moment ago may have been laid out in part only: what counts is what a frame has shown. */
const PAINTED =
  'new Promise(painted => requestAnimationFrame(() => requestAnimationFrame(() => painted())))';

/** Nothing is wider than the window: nobody scrolls sideways. */
export async function assertFits(page: Page, what: string): Promise<void> {
  await page.evaluate(PAINTED);
  const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok((excess as number) <= 0, `${what} is ${excess} px too wide`);
  assert.deepEqual(await page.evaluate(WIDE_TABLES), [], `${what}: px of a table beyond its card`);
}

/** A page has a margin, in which a table that is too wide stays unseen by the measure above. */
const WIDE_TABLES = `[...document.querySelectorAll('.card table')]
  .filter(table => table.closest('.table-scroll') === null)
  .map(table => table.getBoundingClientRect().right - table.closest('.card').getBoundingClientRect().right)
  .filter(excess => excess > 0)`;

/** The message closes, so that nothing can be undone any more: what waits for that is sent. */
export async function closeMessage(page: Page, text: string): Promise<void> {
  const message = page.getByRole('alert').filter({ hasText: text });
  await message.getByRole('button', { name: 'Close this message' }).click();
  await message.waitFor({ state: 'detached' });
}

const ROOT = join(import.meta.dirname, '../../..');
const OF_DOCS = join(ROOT, 'docs/screenshots');
/** For whoever wants to see the pages after a change. */
const OTHERS = join(tmpdir(), 'punctual-screenshots');

/**
 * Written on purpose only: PUNCTUAL_SCREENSHOTS=1 node --test <file>. Into docs/ goes a picture that one of its pages
 * names.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.PUNCTUAL_SCREENSHOTS) return;
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });
  const isNamed = pages.some(file =>
    readFileSync(join(ROOT, file), 'utf8').includes(`screenshots/${name}.png)`),
  );
  const folder = isNamed ? OF_DOCS : OTHERS;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
