import { PunctualApiError, PunctualClient } from '@punctual/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { withPending } from './change/optimistic.ts';
import { BASE } from './root.ts';
import { sendForPage, sessionEnded } from './session.ts';

/** The only door to the service: the one that served the page, by its session. The queries repeat, not the client. */
export const api = new PunctualClient({ baseUrl: BASE, fetch: sendForPage, maxRetries: 0 });

/** The same door for requests that outlive the page. */
export const leavingApi = new PunctualClient({
  baseUrl: BASE,
  fetch: (input, init) => sendForPage(input, { ...init, keepalive: true }),
  maxRetries: 0,
});

function noticeEnd(error: unknown): void {
  if (isSignedOut(error)) sessionEnded.set(true);
}

/** @returns null where there is no such thing, or it is deleted */
export async function orNone<Item>(asked: Promise<Item>): Promise<Item | null> {
  try {
    return await asked;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** A refused query is not repeated; a query that did not reach the service is. */
function isWorthAnotherTry(failures: number, error: unknown): boolean {
  if (error instanceof PunctualApiError && error.status < 500) return false;
  return failures < 4;
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
  defaultOptions: {
    queries: {
      retry: isWorthAnotherTry,
      retryDelay: failures => Math.min(500 * 2 ** failures, 4_000),
      networkMode: 'always',
      staleTime: 1_000,
      refetchOnWindowFocus: true,
      structuralSharing: withPending,
    },
    mutations: { networkMode: 'always' },
  },
});

/** An error in words: the service's own sentence if it sent one. */
export function sentenceOf(error: unknown): string {
  if (error instanceof PunctualApiError) return error.message;
  return 'Punctual could not be reached. Nothing was changed; try again.';
}

/** The service knows no session here, or no longer. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof PunctualApiError && error.status === 401;
}

/** There is none at this address. */
export function isMissing(error: unknown): boolean {
  return error instanceof PunctualApiError && error.status === 404;
}
