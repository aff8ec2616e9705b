import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ApiObserver } from './api/deps.ts';
import { BoundedLog } from './bounded-log.ts';

const SPAN_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
/** Lines a minute of callers whose key is wrong: whoever guesses does not fill the disk. */
const MOST_REFUSED = 10;

/** What the API tells of its requests, as metrics and as lines of the log. No url, no query, no key. */
export function createApiObserver(registry: Registry, log: Logger): ApiObserver {
  const spans = new Histogram({
    name: 'punctual_http_request_seconds',
    help: 'Requests to the API, by method, route and status: from their headers to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: SPAN_SECONDS,
    registers: [registry],
  });
  const failures = new Counter({
    name: 'punctual_authentication_failures_total',
    help: 'Requests without a valid ApiKey or session.',
    registers: [registry],
  });
  const refused = new BoundedLog(log, MOST_REFUSED, 'more callers were refused this minute');
  return {
    requestEnded({ method, route, status, durationMs, clientId }) {
      spans.observe({ method, route, status }, durationMs / 1_000);
      log.debug(
        { method, route, status, durationMs: Math.round(durationMs), clientId },
        'answered',
      );
    },
    authenticationFailed(address, method, route) {
      failures.inc();
      refused.tell(
        'warn',
        () => ({ address, method, route }),
        'a caller was refused: no valid key or session',
      );
    },
  };
}
