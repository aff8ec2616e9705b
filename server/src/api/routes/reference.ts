import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { answerFileFailure, nothingHere } from '../http/failure.ts';
import { setPageHeaders } from '../http/security-headers.ts';

/** Its components set styles on their elements; nothing else of theirs is inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API reference, from the same document as `/openapi.json`. Nothing of it comes from elsewhere. */
export function reference(app: FastifyInstance): void {
  app.register(async files => {
    files.setErrorHandler(answerFileFailure);
    files.addHook('onRequest', setPageHeaders);
    // It would be sent on to `/docs/`, where nothing is.
    files.addHook('onRequest', (request, _reply, done) => {
      done(request.url.startsWith('/docs/static/index.html') ? nothingHere() : undefined);
    });
    await files.register(swaggerUi, {
      routePrefix: '/docs',
      // Relative, for a proxy that cuts a path off: the files of the page, and the service from its document.
      indexPrefix: '.',
      transformSpecification: document => ({ ...document, servers: [{ url: '../' }] }),
      staticCSP: true,
      transformStaticCSP: () => POLICY,
      theme: { title: 'Punctual: API reference' },
      uiConfig: { docExpansion: 'list', defaultModelsExpandDepth: 0, validatorUrl: null },
    });
  });
}
