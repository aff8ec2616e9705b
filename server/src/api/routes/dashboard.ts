import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { newNonce } from '../../domain/credential.ts';
import { answerFileFailure } from '../failure.ts';

/**
 * The dashboard: one page for a few paths, and the files that it is made of.
 *
 * Guarantee: nothing is loaded from elsewhere and no inline script runs. Styles that the page's
 * components make while it runs carry the nonce of their answer.
 */
const PAGES = [
  '/',
  '/schedules',
  '/schedules/new',
  '/schedules/:id(^.+$)',
  '/schedules/:id(^.+$)/edit',
  '/runs',
  '/forecast',
  '/keys',
];

const NONCE = '{{nonce}}';
const YEAR_MS = 365 * 86_400_000;

/** @param folder what `npm run build` made */
export function dashboard(app: FastifyInstance, folder: string): void {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  app.register(async files => {
    files.setErrorHandler(answerFileFailure);
    await files.register(serveStatic, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      // Their names carry a hash of what is in them.
      immutable: true,
      maxAge: YEAR_MS,
      preCompressed: true,
      acceptRanges: false,
      index: false,
      decorateReply: false,
      schemaHide: true,
    });
  });
  for (const path of PAGES) {
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const nonce = newNonce();
      return reply
        .headers(headersOf(nonce))
        .type('text/html; charset=utf-8')
        .send(page.replaceAll(NONCE, nonce));
    });
  }
}

function headersOf(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cache-Control': 'no-store',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
}
