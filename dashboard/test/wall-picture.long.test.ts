import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { PunctualClient, ScheduleInput } from '../../client/src/index.ts';
import { landingOf } from '../src/wall/wall-maths.ts';
import { encodeGif } from './support/animation.ts';
import { launch, openWindow, screenshot, signIn } from './support/browser.ts';
import { startPunctual } from './support/service.ts';

/** The pictures of the wall in the docs: a real fleet that fires for a minute. */

const ANIMATION = join(import.meta.dirname, '../../docs/screenshots/wall.gif');
const MOST_BYTES = 1_500_000;
const FRAMES = 26;
/** Faster than in life. */
const FRAME_MS = 200;
const ENOUGH = 400;

/** Answers after a while that differs, fails now and then, and is slow below `/slow`. */
async function startFleetTarget(context: TestContext): Promise<string> {
  let [asked, flaky] = [0, 0];
  const server = createServer((request, response) => {
    asked += 1;
    const isSlow = request.url === '/slow';
    if (request.url === '/flaky') flaky += 1;
    const isBroken = request.url === '/flaky' && flaky % 3 === 0;
    response.statusCode = isBroken ? 503 : 200;
    setTimeout(() => response.end(), isSlow ? 4_600 : (asked * 37) % 160);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fleet(url: string): ScheduleInput[] {
  const one = { verb: 'POST', timezone: 'UTC' } as const;
  const every = (path: string, interval: string, policy = {}) => ({
    ...one,
    url: url + path,
    interval,
    policy: { maxRetries: 0, ...policy },
  });
  return [
    ...Array.from({ length: 40 }, (_, index) => every('/job', `${index % 10}/10 * * * * *`)),
    ...Array.from({ length: 40 }, (_, index) => every('/job', `${(index * 7) % 60} * * * * *`)),
    ...Array.from({ length: 40 }, () => every('/job', '0/15 * * * * *')),
    ...Array.from({ length: 6 }, (_, index) => every('/flaky', `${index * 3 + 2}/20 * * * * *`)),
    every('/slow', '0/3 * * * * *', { overlap: 'bufferOne' }),
  ];
}

/**
 * The page draws when it is told to: a browser that draws without a screen would do nothing else. The wall fills
 * the window alone, since there is no screen to fill.
 */
const STEPS = `
  const held = [];
  window.requestAnimationFrame = frame => held.push(frame);
  window.step = () => { for (const frame of held.splice(0)) frame(performance.now()); };
  delete Element.prototype.requestFullscreen;
`;

async function untilLanded(client: PunctualClient, enough: number): Promise<void> {
  let count = 0;
  for await (const event of client.events()) {
    if (event.type === 'run.ended' && landingOf(event.data) !== null) count += 1;
    if (count === enough) return;
  }
}

test('pictures of the wall are made of a fleet that fires', {
  skip: !process.env.PUNCTUAL_SCREENSHOTS,
}, async context => {
  const punctual = await startPunctual(context);
  const { client, url, credentials } = punctual;
  await client.createSchedules(fleet(await startFleetTarget(context)));
  const browser = await launch();
  context.after(() => browser.close());
  const { page } = await openWindow(browser);
  await signIn(page, url, credentials);
  await page.goto(`${url}/wall`);
  await untilLanded(client, ENOUGH);
  await screenshot(page, 'wall-desktop');
  await page.getByRole('button', { name: 'Light wall' }).click();
  await page.getByRole('button', { name: 'Dark wall' }).waitFor();
  // The face is drawn once a second.
  await page.waitForTimeout(1_500);
  await screenshot(page, 'wall-light');
  await page.getByRole('button', { name: 'Dark wall' }).click();

  await page.evaluate(STEPS);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.setViewportSize({ width: 1040, height: 560 });
  await page.keyboard.press('f');
  await page.locator('[data-wall=full]').waitFor();
  const pictures: Buffer[] = [];
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await page.evaluate('step()');
    pictures.push(await page.screenshot({ timeout: 60_000 }));
  }
  writeFileSync(ANIMATION, encodeGif(pictures, FRAME_MS));
  const { size } = statSync(ANIMATION);
  context.diagnostic(`${Math.round(size / 1_000)} kB`);
  assert.ok(size < MOST_BYTES, `${size} bytes`);
});
