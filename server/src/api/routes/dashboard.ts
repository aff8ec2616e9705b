import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { newNonce } from '../../domain/access/credential.ts';
import { answerFileFailure } from '../http/failure.ts';
import { setPageHeaders } from '../http/security-headers.ts';

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
    files.addHook('onRequest', setPageHeaders);
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
    app.get(
      path,
      { schema: { hide: true }, onRequest: setPageHeaders },
      async (_request, reply) => {
        const nonce = newNonce();
        return reply
          .header('Content-Security-Policy', policyOf(nonce))
          .type('text/html; charset=utf-8')
          .send(page.replaceAll(NONCE, nonce));
      },
    );
  }
}

function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
