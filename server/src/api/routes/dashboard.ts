import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import serveStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
  '/timeline',
  '/runs',
  '/incidents',
  '/calendars',
  '/calendars/:name',
  '/destinations',
  '/destinations/:name',
  '/forecast',
  '/wall',
  '/keys',
];

const NONCE = '{{nonce}}';
/** As the build writes the address of a file into the page. */
const FILE = '"./assets/';
const YEAR_MS = 365 * 86_400_000;

/** Answers with the page. */
export type PageSender = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** @param folder what `npm run build` made */
export function pageOf(folder: string): PageSender {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  return (request, reply) => {
    const nonce = newNonce();
    return reply
      .header('Content-Security-Policy', policyOf(nonce))
      .type('text/html; charset=utf-8')
      .send(
        page.replaceAll(NONCE, nonce).replaceAll(FILE, `"${rootFrom(request.originalUrl)}assets/`),
      );
  };
}

/**
 * The way from a page to its root, as a relative address. A proxy may serve the page below a path and cut that path off: only
 * the browser knows where it is.
 */
function rootFrom(url: string): string {
  const [path = ''] = url.split('?', 1);
  return '../'.repeat(path.split('/').length - 2) || './';
}

/**
 * Whether a browser goes to this address. Calls of a program take any type, or JSON. Files of the page
 * stay files: an old page that asks for one gets no page instead.
 */
export function isNavigation({ method, headers, url }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /\btext\/html\b/.test(headers.accept ?? '') && !FILES.test(url);
}

const FILES = /^\/(assets|docs)\//;

/** @param folder what `npm run build` made */
export function dashboard(app: FastifyInstance, folder: string, sendPage: PageSender): void {
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
    app.get(path, { schema: { hide: true }, onRequest: setPageHeaders }, sendPage);
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
