import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { withExamples } from './examples/shown.ts';

/** The OpenAPI document, apart from what the routes and schemas say of themselves. */
export const DOCUMENT: FastifyDynamicSwaggerOptions = {
  transformObject: parts =>
    withExamples('openapiObject' in parts ? parts.openapiObject : parts.swaggerObject),
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Punctual',
      version: '1.0.0',
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
      { name: 'service', description: 'The service itself.' },
    ],
    components: {
      securitySchemes: {
        ClientId: { type: 'apiKey', in: 'header', name: 'ClientId' },
        ApiKey: { type: 'apiKey', in: 'header', name: 'ApiKey' },
      },
    },
  },
  refResolver: {
    buildLocalReference: ({ $id }, _baseUri, _fragment, index) =>
      typeof $id === 'string' ? $id : `Schema${index}`,
  },
};
