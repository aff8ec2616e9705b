import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { PunctualError, STORE_UNAVAILABLE } from '../domain/errors.ts';
import { Authenticator, type Callers } from './access/authenticate.ts';
import { emptyApp } from './app.ts';
import { type ApiDeps, LIMITS } from './deps.ts';
import { checkFraming } from './http/framing.ts';
import type { Handler } from './http/listener.ts';
import { synchronousHook } from './http/synchronous-hook.ts';
import { addEndpoint } from './route.ts';
import { getHealth, getReadiness } from './routes/health.ts';
import { metrics } from './routes/metrics.ts';

/** The API while there is no store. */
export interface WaitingApi {
  app: FastifyInstance;
  /** From here on requests go to `api`, on the same connections; it is not to listen itself. */
  handOver(api: FastifyInstance): Promise<void>;
}

export type WaitingDeps = Pick<
  ApiDeps,
  'log' | 'metricsText' | 'connectionRefused' | 'requestEnded' | 'limits'
> & {
  clock: Clock;
};

/**
 * The API while the service waits for the store: it is alive, not ready. Each call is answered with
 * `store_unavailable`, or with 401 without credentials.
 */
export function buildWaitingApi(deps: WaitingDeps): WaitingApi {
  const limits = { ...LIMITS, ...deps.limits };
  let handler: Handler | undefined;
  const app = emptyApp(deps, limits, routes => {
    handler = routes;
    return (request, response) => handler!(request, response);
  });
  app.addHook('onRequest', synchronousHook(checkFraming));
  app.setNotFoundHandler(refuse);
  const readiness = async () => ({ fault: STORE_UNAVAILABLE });
  addEndpoint(app, getHealth, {}, limits);
  addEndpoint(app, getReadiness, { readiness }, limits);
  addEndpoint(app, metrics, deps, limits);
  const authenticator = new Authenticator(NOBODY_KNOWN, deps.clock, limits.callerCacheMs);
  app.register(
    async v1 => {
      v1.decorateRequest('caller', null);
      v1.addHook('onRequest', (request, _reply, done) => authenticator.authenticate(request, done));
      v1.setNotFoundHandler(refuse);
    },
    { prefix: '/v1' },
  );
  return {
    app,
    async handOver(api) {
      await api.ready();
      handler = api.routing;
    },
  };
}

async function refuse(): Promise<never> {
  throw new PunctualError('store_unavailable', STORE_UNAVAILABLE);
}

const NOBODY_KNOWN: Callers = {
  keys: { findCaller: refuse },
  sessions: { findSession: refuse, noteSessionUse: refuse },
};
