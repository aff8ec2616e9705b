import type { Session } from '@punctual/client';
import { useQueryClient } from '@tanstack/react-query';
import { flagOf } from './parts/flag.ts';

/** The service no longer knows the session: the page stays, and asks to sign in over it. */
export const sessionEnded = flagOf(false);

/** Without a touch for this long nobody is at work on the page: the service notes uses by the minute. */
const AT_WORK_MS = 60_000;
const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'];

let touchedAt = performance.now();
for (const touch of TOUCHES) {
  addEventListener(touch, () => (touchedAt = performance.now()), { capture: true, passive: true });
}

/**
 * Sends a request of the page. While nobody is at work there, what the page asks by itself is marked, so
 * that a page left open does not keep its session from ending.
 */
export function sendForPage(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  if (performance.now() - touchedAt < AT_WORK_MS) return fetch(input, init);
  const headers = { ...init?.headers, 'Punctual-Session': 'background' };
  return fetch(input, { ...init, headers });
}

/** The session of the page. Pages exist only while somebody is signed in. */
export function usePageSession(): Session | undefined {
  return useQueryClient().getQueryData<Session>(['session']);
}

/** The client that is signed in. */
export function useClientId(): string {
  return usePageSession()?.clientId ?? '';
}
