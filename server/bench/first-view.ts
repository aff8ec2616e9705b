import { launch, openWindow, signIn } from '../../dashboard/test/support/browser.ts';
import { CREDENTIALS } from './punctual.ts';

/**
 * How long the first view takes in a real Chromium: from the call of the address, with nothing cached,
 * until the overview shows its figures, of somebody who is signed in.
 *
 * @returns ms, of each time
 */
export async function firstViews(base: string, times: number): Promise<number[]> {
  const browser = await launch();
  try {
    const { context, page } = await openWindow(browser);
    const credentials = { clientId: CREDENTIALS.ClientId, apiKey: CREDENTIALS.ApiKey };
    await signIn(page, base, credentials);
    const cookies = await context.cookies();
    await context.close();
    const views: number[] = [];
    for (let view = 0; view < times; view += 1) {
      const { context: fresh, page: opened } = await openWindow(browser);
      await fresh.addCookies(cookies);
      const startedAt = performance.now();
      await opened.goto(base);
      await opened.getByText('Runs, 1 h').waitFor();
      views.push(performance.now() - startedAt);
      await fresh.close();
    }
    return views;
  } finally {
    await browser.close();
  }
}
