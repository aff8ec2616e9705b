import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { TlsSettings } from './send.ts';

/** More than this are rare, and another one costs a millisecond. */
const MOST_CONTEXTS = 500;
/** Of the settings that they were made of, in characters. A context takes a few times as much. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The secure contexts of one sender, by the identity of their settings. */
export class SecureContexts {
  readonly #known = new LRUCache<string, SecureContext>({
    max: MOST_CONTEXTS,
    maxSize: MOST_CHARACTERS,
  });

  /** @throws what OpenSSL says of a certificate or key that it cannot read */
  of(settings: TlsSettings): SecureContext {
    const known = this.#known.get(settings.identity);
    if (known !== undefined) return known;
    const { certificate: cert, key, ca } = settings;
    const context = createSecureContext({ cert, key, ca });
    const size = [cert, key, ca].reduce((sum, text = '') => sum + text.length, 1);
    this.#known.set(settings.identity, context, { size });
    return context;
  }
}
