import swagger from '@fastify/swagger';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Authenticator } from './access/authenticate.ts';
import { CallReplayer } from './call-replayer.ts';
import { lazyCompilers } from './compilers.ts';
import { type ApiDeps, LIMITS, type Limits } from './deps.ts';
import { ignoreBodies, readBodies } from './http/body.ts';
import { answerFailure, nothingHere } from './http/failure.ts';
import { checkFraming } from './http/framing.ts';
import { answerBrokenRequest, createListener, type Handler } from './http/listener.ts';
import { parseQuery, readQuery } from './http/query.ts';
import { watchRequests } from './http/request-log.ts';
import { PAGE_HEADERS } from './http/security-headers.ts';
import { synchronousHook } from './http/synchronous-hook.ts';
import { lookupPath } from './http/target-path.ts';
import { componentsOf, documentOf } from './openapi/document.ts';
import { isV1, V1 } from './openapi/operation.ts';
import { addEndpoint, type Endpoint, type EndpointDeps, hasBody } from './route.ts';
import { readCompletions } from './routes/complete.ts';
import { dashboard, isNavigation, type PageSender, pageOf } from './routes/dashboard.ts';
import { echo } from './routes/echo.ts';
import { reference } from './routes/reference.ts';
import { samples } from './routes/samples.ts';
import { signInByLink } from './routes/session.ts';
import { ENDPOINTS } from './routes.ts';
import { ScheduleGroups } from './stats/groups.ts';
import { HistoryStats } from './stats/history.ts';

/**
 * The HTTP API.
 *
 * Guarantee: every request is answered with a status of the table (domain/errors.ts). An error is
 * `{"error": sentence}` and nothing else. Under `/v1` nobody learns anything without a valid key.
 * Authentication is the first hook of the part that holds these routes and their 404s, so no
 * spelling of a path avoids it.
 */
export function buildApi(deps: ApiDeps): FastifyInstance {
  const limits = { ...LIMITS, ...deps.limits };
  const app = emptyApp(deps, limits);
  const { store, clock, authenticationFailed } = deps;
  const endpointDeps: EndpointDeps = {
    ...deps,
    authenticator: new Authenticator(store, clock, limits.callerCacheMs, authenticationFailed),
    groups: new ScheduleGroups(store.stats, clock),
    history: new HistoryStats(store.stats, clock),
    replayer: new CallReplayer(store.idempotency, clock),
    beforeClose: end => app.addHook('preClose', async () => end()),
  };
  app.register(swagger, documentOf(OPERATIONS));
  app.register(async open => openPart(open, endpointDeps, limits));
  if (deps.withoutV1 !== true) {
    app.register(async v1 => v1Part(v1, endpointDeps, limits), { prefix: V1 });
  }
  return app;
}

const isUnderV1 = ({ path }: Endpoint) => isV1(path);
const OPEN = ENDPOINTS.filter(one => !isUnderV1(one));
const OPERATIONS = ENDPOINTS.flatMap(({ operation }) => operation ?? []);
const COMPONENTS = componentsOf(OPERATIONS);

/**
 * The app without routes: it answers every request that it cannot serve with an error.
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
        discriminator: true,
      },
    },
  });
  app.setErrorHandler(answerFailure);
  watchRequests(app, deps);
  for (const schema of COMPONENTS) app.addSchema(schema);
  return app;
}

function openPart(app: FastifyInstance, deps: EndpointDeps, limits: Limits): void {
  const { dashboardFolder } = deps;
  const sendPage = dashboardFolder === undefined ? undefined : pageOf(dashboardFolder);
  app.addHook('onRequest', synchronousHook(checkFraming));
  answerUnknown(app, sendPage);
  app.register(async strict => {
    strict.addHook('preValidation', synchronousHook(readQuery));
    const [withBody, others] = [OPEN.filter(hasBody), OPEN.filter(one => !hasBody(one))];
    for (const one of others) addEndpoint(strict, one, deps, limits);
    strict.register(async completions => {
      readCompletions(completions);
      for (const one of withBody) addEndpoint(completions, one, deps, limits);
    });
    if (deps.signInLink !== undefined) signInByLink(strict, deps);
  });
  if (dashboardFolder !== undefined && sendPage !== undefined) {
    dashboard(app, dashboardFolder, sendPage);
    reference(app);
  }
  if (deps.echo === true) {
    app.register(async target => echo(target));
    app.register(async target => samples(target));
  }
}

function v1Part(app: FastifyInstance, deps: EndpointDeps, limits: Limits): void {
  const { authenticator } = deps;
  app.decorateRequest('caller', null);
  app.addHook('onRequest', (request, _reply, done) => authenticator.authenticate(request, done));
  app.addHook('onRequest', synchronousHook(checkFraming));
  app.addHook('preValidation', synchronousHook(readQuery));
  answerUnknown(app);
  const endpoints = ENDPOINTS.filter(isUnderV1);
  app.register(async withBody => {
    readBodies(withBody);
    for (const one of endpoints) if (hasBody(one)) addEndpoint(withBody, one, deps, limits);
  });
  app.register(async withoutBody => {
    ignoreBodies(withoutBody);
    for (const one of endpoints) if (!hasBody(one)) addEndpoint(withoutBody, one, deps, limits);
  });
}

/**
 * Before a body is read: what is not there is not there, whatever was sent to it.
 *
 * @param sendPage answers a browser that goes to an unknown address; the page says that nothing is there
 */
export function answerUnknown(app: FastifyInstance, sendPage?: PageSender): void {
  const isPage = (request: FastifyRequest) => sendPage !== undefined && isNavigation(request);
  app.addHook(
    'onRequest',
    synchronousHook(request => {
      if (request.is404 && !isPage(request)) throw nothingHere();
    }),
  );
  app.setNotFoundHandler((request, reply) => {
    if (sendPage === undefined || !isPage(request)) throw nothingHere();
    return sendPage(request, reply.code(404).headers({ ...PAGE_HEADERS, Vary: 'Accept' }));
  });
}
