import { Counter, Histogram, type Registry } from 'prom-client';
import type { RequestEnded } from '../api/deps.ts';

const SPAN_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** The usual statuses of a route. Any other status is counted from its first occurrence on. */
const STATUSES = [200, 400, 401, 404, 500];

/** Requests to the API, by the pattern of their route: a path that callers choose makes no series. */
export function createRequestMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'punctual_http_requests_total',
    help: 'Requests to the API, by the pattern of their route and the status of the answer.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const spans = new Histogram({
    name: 'punctual_http_request_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: SPAN_SECONDS,
    registers: [registry],
  });
  return {
    routed(method: string, route: string) {
      for (const status of STATUSES) requests.inc({ method, route, status }, 0);
      spans.zero({ method, route });
    },
    requestEnded({ method, route, status, durationMs }: RequestEnded) {
      requests.inc({ method, route, status });
      spans.observe({ method, route }, durationMs / 1_000);
    },
  };
}
