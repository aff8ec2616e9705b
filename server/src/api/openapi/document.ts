import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { MOST_CHARACTERS } from '../../domain/calendar/interval.ts';
import { VERSION } from '../../version.ts';
import { SESSION_COOKIE } from '../access/session.ts';
import { withExamples } from './examples/shown.ts';
import { WEBHOOKS } from './webhooks.ts';

/** The OpenAPI document, apart from what the routes and schemas say of themselves. */
export const DOCUMENT: FastifyDynamicSwaggerOptions = {
  transformObject: parts =>
    complete('openapiObject' in parts ? parts.openapiObject : parts.swaggerObject),
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Punctual',
      version: VERSION,
      description:
        'Stores schedules and, on each cron interval, sends an HTTP request to a target address. ' +
        'Every error has the body `{"error": sentence}`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [
      { name: 'schedules', description: 'The stored configurations.' },
      { name: 'runs', description: 'What came of them.' },
      { name: 'times', description: 'When they fire.' },
      { name: 'figures', description: 'What happens, in numbers and as it happens.' },
      { name: 'access', description: 'Sessions, keys and the signing secret.' },
      { name: 'callbacks', description: 'Requests that Punctual makes when a run has ended.' },
      { name: 'service', description: 'The service itself.' },
    ],
    // Wherever this document was read from.
    servers: [{ url: '/', description: 'This service.' }],
    components: {
      securitySchemes: {
        ClientId: {
          type: 'apiKey',
          in: 'header',
          name: 'ClientId',
          description: 'Whose request it is; beside ApiKey.',
        },
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'ApiKey',
          description: 'A key of this client; beside ClientId.',
        },
        SessionCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'A session of the dashboard, as `POST /v1/session` begins one. Behind TLS its name begins with ' +
            '`__Host-`. It counts beside `Punctual-Session` only.',
        },
        SessionHeader: {
          type: 'apiKey',
          in: 'header',
          name: 'Punctual-Session',
          description:
            '`yes`, or `background` for a request that a page makes while nobody uses it. A page of another ' +
            'origin cannot send it.',
        },
      },
    },
  },
  refResolver: {
    buildLocalReference: ({ $id }, _baseUri, _fragment, index) =>
      typeof $id === 'string' ? $id : `Schema${index}`,
  },
};

/** What is said here and judged elsewhere: the sentence on an interval is its parser's. */
function complete<Document extends object>(document: Document): Document {
  const { components, paths } = document as Partial<Described>;
  for (const schema of Object.values(components?.schemas ?? {})) limitInterval(schema);
  for (const operation of Object.values(paths ?? {}).flatMap(methods => Object.values(methods))) {
    // An open path says so: nothing is to be sent with it.
    operation.security ??= [];
  }
  Object.assign(document, { webhooks: WEBHOOKS });
  return withExamples(document);
}

function limitInterval({ properties }: Described['components']['schemas'][string]): void {
  const interval = properties?.interval;
  if (interval !== undefined) interval.maxLength = MOST_CHARACTERS;
}

interface Described {
  components: { schemas: Record<string, { properties?: { interval?: { maxLength?: number } } }> };
  paths: Record<string, Record<string, { security?: object[] }>>;
}
