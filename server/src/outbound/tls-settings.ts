import { createHash } from 'node:crypto';
import type { TlsSettings } from './send.ts';

/** TLS settings of requests: a client certificate, and authorities of their own. Each identity has its connections. */

/** @returns undefined where nothing is set */
export function tlsSettingsOf(given: Omit<TlsSettings, 'identity'>): TlsSettings | undefined {
  const { certificate, key, ca } = given;
  if (certificate === undefined && ca === undefined) return undefined;
  const text = JSON.stringify([certificate, key, ca]);
  return { ...given, identity: createHash('sha256').update(text).digest('base64url') };
}
