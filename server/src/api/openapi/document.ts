import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { MOST_CHARACTERS } from '../../domain/calendar/cron/interval.ts';
import { VERSION } from '../../version.ts';
import { SESSION_COOKIE } from '../access/session.ts';
import { withExamples } from './examples/shown.ts';
import type { Operation } from './operation.ts';
import { ScheduleCallback } from './schemas/callback.ts';
import { type Named, ref, referredBy } from './schemas/fields.ts';
import { ErrorBody } from './schemas/time.ts';
import { WEBHOOKS } from './webhooks.ts';

/**
 * The OpenAPI document.
 *
 * @param operations all that are registered. Fastify knows their schemas; their examples are taken from here.
 */
export function documentOf(operations: readonly Operation[]): FastifyDynamicSwaggerOptions {
  return {
    ...DOCUMENT,
    transformObject: parts =>
      complete('openapiObject' in parts ? parts.openapiObject : parts.swaggerObject, operations),
  };
}

/** Every schema with a name that the operations, their errors and the callbacks refer to, in the document's order. */
export function componentsOf(operations: readonly Operation[]): object[] {
  const asked = operations.map(({ query, body, answer }) => [
    query,
    body && ref(body),
    '$id' in answer && ref(answer),
  ]);
  const found = referredBy([...asked, ref(ErrorBody), ref(ScheduleCallback)]);
  return [...found.values()].sort((a, b) => rank(a) - rank(b));
}

const DOCUMENT: FastifyDynamicSwaggerOptions = {
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
      { name: 'runs', description: 'The runs of schedules.' },
      { name: 'times', description: 'When they fire.' },
      { name: 'calendars', description: 'Days and times without firings.' },
      { name: 'destinations', description: 'How hosts are talked to.' },
      { name: 'figures', description: 'Statistics and live events.' },
      { name: 'access', description: 'Sessions, keys and the signing secret.' },
      { name: 'callbacks', description: 'Requests that Punctual makes when a run has ended.' },
      { name: 'service', description: 'The service itself.' },
    ],
    // The service that this document was read from.
    servers: [{ url: '/', description: 'This service.' }],
    components: {
      securitySchemes: {
        ClientId: {
          type: 'apiKey',
          in: 'header',
          name: 'ClientId',
          description: 'The client that makes the request; beside ApiKey.',
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

/** Adds what no schema of a route says: examples, webhooks, and the limit that the parser of intervals has. */
function complete<Document extends object>(
  document: Document,
  operations: readonly Operation[],
): Document {
  const { components, paths } = document as Partial<Described>;
  for (const schema of Object.values(components?.schemas ?? {})) limitInterval(schema);
  for (const operation of Object.values(paths ?? {}).flatMap(methods => Object.values(methods))) {
    // An open path says so: nothing is to be sent with it.
    operation.security ??= [];
  }
  Object.assign(document, { webhooks: WEBHOOKS });
  return withExamples(document, operations);
}

function limitInterval({ properties }: Described['components']['schemas'][string]): void {
  const interval = properties?.interval;
  if (interval !== undefined) interval.maxLength = MOST_CHARACTERS;
}

interface Described {
  components: { schemas: Record<string, { properties?: { interval?: { maxLength?: number } } }> };
  paths: Record<string, Record<string, { security?: object[] }>>;
}

/** The order of the components, so that the document stays as readers know it. Others come last, as they are found. */
const ORDER = (
  'Schedule ScheduleInput SchedulePatch Policy Integration IntegrationInput SchedulePage BatchInput PatchManyInput ' +
  'BatchResult ' +
  'DeleteResult Run Attempt Phases Control Callback RunPage CallbackRun ScheduleCallback PreviewInput Times Timezones ' +
  'Explanation Tally StatsMinute HistoryStep History FailingSchedule UpcomingFiring Breaker Stats ForecastHost ' +
  'Forecast Problem ClockNote CheckResult TryResult Session SessionEnd ListedSession SessionList KeyInput Key ' +
  'NewKey RevokedKey KeyList RotationInput SigningSecret NewSigningSecret WordsInput IntervalWords IntervalWordsList ZoneOffset ZoneOffsets Pause Health Error'
).split(' ');

function rank({ $id }: Named<unknown>): number {
  const index = ORDER.indexOf($id);
  return index < 0 ? ORDER.length : index;
}
