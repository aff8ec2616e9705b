import { PunctualApiError, type Session } from '@punctual/client';
import { useEffect } from 'react';
import { api, isSignedOut } from '../queries.ts';
import { ROOT } from '../root.ts';

/** The link of `punctual dev`, which signs in once. */

/** The link was used before, or is too old, and there is no session. The message says so. */
export class LinkRefused extends Error {}

const LINK = /^#sign-in=(.+)$/;

/**
 * The token does not stay in the address once the service has answered.
 *
 * @throws LinkRefused
 */
export async function beginOrGetSession(): Promise<Session> {
  const [, token] = LINK.exec(location.hash) ?? [];
  if (token === undefined) return api.getSession();
  try {
    const session = await api.signInOnce(token);
    forgetToken();
    return session;
  } catch (error) {
    // Without an answer the token may count still: the next try hands it in again.
    if (!(error instanceof PunctualApiError) || error.status >= 500) throw error;
    forgetToken();
    return sessionInsteadOf(error);
  }
}

/** If the link was used before, its session may still exist. */
async function sessionInsteadOf({ message }: PunctualApiError): Promise<Session> {
  try {
    return await api.getSession();
  } catch (error) {
    throw isSignedOut(error) ? new LinkRefused(message) : error;
  }
}

function forgetToken(): void {
  history.replaceState(null, '', ROOT);
}

/** A link that is pasted into a tab of the page changes only what stands behind the `#`: nothing would load. */
export function useLinkOfPage(): void {
  useEffect(() => {
    const open = () => LINK.test(location.hash) && location.reload();
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, []);
}
