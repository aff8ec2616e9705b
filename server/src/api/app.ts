import swagger from '@fastify/swagger';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { Authenticator } from './access/authenticate.ts';
import { lazyCompilers } from './compilers.ts';
import { type ApiDeps, LIMITS, type Limits } from './deps.ts';
import { ignoreBodies, readBodies } from './http/body.ts';
import { answerFailure, nothingHere } from './http/failure.ts';
import { checkFraming } from './http/framing.ts';
import { answerBrokenRequest, createListener, type Handler } from './http/listener.ts';
import { parseQuery, readQuery } from './http/query.ts';
import { watchRequests } from './http/request-log.ts';
import { synchronousHook } from './http/synchronous-hook.ts';
import { lookupPath } from './http/target-path.ts';
import { DOCUMENT } from './openapi/document.ts';
import { BY_KEY, BY_SESSION } from './openapi/operation.ts';
import { COMPONENTS } from './openapi/schemas/components.ts';
import { checkAndTry } from './routes/check.ts';
import { createBatch } from './routes/create-batch.ts';
import { createSchedule } from './routes/create-schedule.ts';
import { dashboard } from './routes/dashboard.ts';
import { deleteSchedule } from './routes/delete-schedule.ts';
import { echo } from './routes/echo.ts';
import { events } from './routes/events.ts';
import { explainTime } from './routes/explain.ts';
import { getRun } from './routes/get-run.ts';
import { getSchedule } from './routes/get-schedule.ts';
import { health } from './routes/health.ts';
import { countHistory } from './routes/history.ts';
import { createKey, listAndRevokeKeys } from './routes/keys.ts';
import { listRuns } from './routes/list-runs.ts';
import { listSchedules } from './routes/list-schedules.ts';
import { llms } from './routes/llms.ts';
import { metrics } from './routes/metrics.ts';
import { nextTimes } from './routes/next-times.ts';
import { openapi } from './routes/openapi.ts';
import { patchSchedule } from './routes/patch-schedule.ts';
import { preview } from './routes/preview.ts';
import { reference } from './routes/reference.ts';
import { replaceSchedule } from './routes/replace-schedule.ts';
import { samples } from './routes/samples.ts';
import { rotateSecret, secretAndItsOverlap } from './routes/secret.ts';
import { sessions, signInByLink } from './routes/session.ts';
import { statsAndForecast } from './routes/stats.ts';
import { timezones } from './routes/timezones.ts';
import { triggerSchedule } from './routes/trigger-schedule.ts';
import { zoneOffsets } from './routes/zone-offsets.ts';

/**
 * The API: HTTP enters the house.
 *
 * Guarantee: whatever arrives is answered, with a status of the table (domain/errors.ts) and, where
 * it is an error, with `{"error": sentence}` and nothing else. Under `/v1` nobody learns anything
 * without a valid key: authentication is the first hook of the part that holds these routes and
 * its own 404s, so that it goes by where a request arrived and not by how its path was spelled.
 */
export function buildApi(deps: ApiDeps): FastifyInstance {
  const limits = { ...LIMITS, ...deps.limits };
  const app = emptyApp(deps, limits);
  app.register(swagger, DOCUMENT);
  app.register(async open => openPart(open, deps));
  if (deps.withoutV1 !== true) {
    app.register(async v1 => v1Part(v1, deps, limits), { prefix: '/v1' });
  }
  return app;
}

/**
 * What listens, and answers what it cannot answer with an error.
 *
 * @param through what each request goes to before it goes to the routes
 */
export function emptyApp(
  deps: Pick<ApiDeps, 'log' | 'connectionRefused' | 'routed' | 'requestEnded'>,
  limits: Limits,
  through: (routes: Handler) => Handler = routes => routes,
): FastifyInstance {
  const { log, connectionRefused = () => {} } = deps;
  const app = fastify({
    serverFactory: routes => createListener(through(routes), limits, connectionRefused),
    clientErrorHandler: answerBrokenRequest,
    // With a logger of its own it would listen for the end of each answer, only to log it.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => log as FastifyBaseLogger,
    bodyLimit: limits.bodyBytes,
    schemaController: { compilersFactory: lazyCompilers() },
    // While it closes, a request on an open connection is still served, and the connection ended.
    return503OnClosing: false,
    rewriteUrl: ({ url = '' }) => lookupPath(url),
    frameworkErrors: answerFailure,
    routerOptions: {
      caseSensitive: true,
      querystringParser: parseQuery,
      // No length is too long to be looked up: the header limit is smaller.
      maxParamLength: limits.headerBytes,
    },
    ajv: {
      customOptions: {
        coerceTypes: false,
        useDefaults: false,
        removeAdditional: false,
        allErrors: false,
        strict: true,
        allowUnionTypes: true,
      },
    },
  });
  app.setErrorHandler(answerFailure);
  watchRequests(app, deps);
  for (const schema of COMPONENTS) app.addSchema(schema);
  return app;
}

function openPart(app: FastifyInstance, deps: ApiDeps): void {
  app.addHook('onRequest', synchronousHook(checkFraming));
  answerUnknown(app);
  app.register(async strict => {
    strict.addHook('preValidation', synchronousHook(readQuery));
    health(strict, deps);
    metrics(strict, deps);
    openapi(strict);
    timezones(strict);
    llms(strict);
    if (deps.signInLink !== undefined) signInByLink(strict, deps);
  });
  if (deps.dashboardFolder !== undefined) {
    dashboard(app, deps.dashboardFolder);
    reference(app);
  }
  if (deps.echo === true) {
    app.register(async target => echo(target));
    app.register(async target => samples(target));
  }
}

function v1Part(app: FastifyInstance, deps: ApiDeps, limits: Limits): void {
  app.addHook('onRoute', ({ schema }) => {
    if (schema !== undefined) schema.security ??= [BY_KEY, BY_SESSION];
  });
  const { store, clock } = deps;
  const authenticator = new Authenticator(
    store.clients,
    clock,
    limits.callerCacheMs,
    deps.authenticationFailed,
  );
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, _reply, done) => authenticator.authenticate(request, done));
  app.addHook('onRequest', synchronousHook(checkFraming));
  app.addHook('preValidation', synchronousHook(readQuery));
  answerUnknown(app);
  app.register(async withBody => {
    readBodies(withBody);
    createSchedule(withBody, deps);
    createBatch(withBody, deps, limits.batchBodyBytes);
    replaceSchedule(withBody, deps);
    patchSchedule(withBody, deps);
    preview(withBody, deps);
    checkAndTry(withBody, deps);
    createKey(withBody, deps);
    rotateSecret(withBody, deps);
  });
  app.register(async withoutBody => {
    ignoreBodies(withoutBody);
    getSchedule(withoutBody, deps);
    listSchedules(withoutBody, deps);
    deleteSchedule(withoutBody, deps);
    triggerSchedule(withoutBody, deps);
    nextTimes(withoutBody, deps);
    listRuns(withoutBody, deps);
    getRun(withoutBody, deps);
    explainTime(withoutBody, deps);
    zoneOffsets(withoutBody);
    countHistory(withoutBody, deps);
    statsAndForecast(withoutBody, deps);
    events(withoutBody, deps, authenticator);
    sessions(withoutBody, deps, authenticator);
    listAndRevokeKeys(withoutBody, deps);
    secretAndItsOverlap(withoutBody, deps);
  });
}

/** Before a body is read: what is not there is not there, whatever was sent to it. */
export function answerUnknown(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    synchronousHook(({ is404 }) => {
      if (is404) throw nothingHere();
    }),
  );
  app.setNotFoundHandler(() => {
    throw nothingHere();
  });
}
