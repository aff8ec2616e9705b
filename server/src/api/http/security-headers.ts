import type { onRequestHookHandler } from 'fastify';

/**
 * Headers that protect who reads an answer.
 *
 * Guarantee: every answer has these two, also one that the listener gives by itself. Answers carry
 * keys, secrets and Authorization values, so no cache keeps one unless its route says so; and no
 * browser takes a text of a caller for a page.
 */
export const STANDING_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Of pages and the files that they are made of: no other site reads or opens them as its own. */
export const PAGE_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=()',
  'Referrer-Policy': 'no-referrer',
};

export const setPageHeaders: onRequestHookHandler = (_request, reply, done) => {
  reply.headers(PAGE_HEADERS);
  done();
};
