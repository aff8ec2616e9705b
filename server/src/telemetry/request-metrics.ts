import { Counter, type Metric, type Registry } from 'prom-client';
import type { RequestEnded } from '../api/deps.ts';

const SPAN_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
const SPANS = 'punctual_http_request_seconds';

/** The usual statuses of a route. Any other status is counted from its first occurrence on. */
const STATUSES = [200, 400, 401, 404, 500];

/** The requests of one method to one route. */
interface RouteCounts {
  labels: { method: string; route: string };
  statuses: Map<number, number>;
  /** How many took as long as each of `SPAN_SECONDS` at most, and longer than the one before; then all longer ones. */
  spans: number[];
  seconds: number;
}

/**
 * Requests to the API, by the pattern of their route: a path that callers choose makes no series.
 *
 * They are counted here and become metrics when these are read. The library finds a series by a text that it makes of
 * the labels, which is a tenth of what a GET takes.
 */
export function createRequestMetrics(registry: Registry) {
  const routes = new Map<string, Map<string, RouteCounts>>();

  function countsOf(method: string, route: string): RouteCounts {
    const methods = routes.get(route) ?? new Map<string, RouteCounts>();
    routes.set(route, methods);
    const made = newCounts(method, route);
    methods.set(method, made);
    return made;
  }

  const all = () => [...routes.values()].flatMap(methods => [...methods.values()]);

  new Counter({
    name: 'punctual_http_requests_total',
    help: 'Requests to the API, by the pattern of their route and the status of the answer.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, statuses } of all()) {
        for (const [status, count] of statuses) this.inc({ ...labels, status }, count);
      }
    },
  });
  registry.registerMetric(spanMetric(all));
  return {
    routed(method: string, route: string) {
      const { statuses } = countsOf(method, route);
      for (const status of STATUSES) statuses.set(status, 0);
    },
    requestEnded({ method, route, status, durationMs }: RequestEnded) {
      const counts = routes.get(route)?.get(method) ?? countsOf(method, route);
      counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
      const seconds = durationMs / 1_000;
      counts.seconds += seconds;
      let span = 0;
      while (span < SPAN_SECONDS.length && seconds > SPAN_SECONDS[span]!) span += 1;
      counts.spans[span]! += 1;
    },
  };
}

function newCounts(method: string, route: string): RouteCounts {
  const spans = [...SPAN_SECONDS, Number.POSITIVE_INFINITY].map(() => 0);
  return { labels: { method, route }, statuses: new Map(), spans, seconds: 0 };
}

/** The histogram, as the registry reads one. */
function spanMetric(all: () => RouteCounts[]): Metric {
  const head = {
    name: SPANS,
    help: 'From the head of a request to the end of its answer.',
    type: 'histogram',
    aggregator: 'sum',
  };
  const get = async () => ({ ...head, values: all().flatMap(spanValues) });
  return { ...head, get, reset() {} } as unknown as Metric;
}

/** Each bucket counts those of the ones before it as well. */
function spanValues({ labels, spans, seconds }: RouteCounts) {
  let count = 0;
  const buckets = spans.map((more, index) => {
    count += more;
    const le = SPAN_SECONDS[index] ?? '+Inf';
    return { metricName: `${SPANS}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${SPANS}_sum`, labels, value: seconds },
    { metricName: `${SPANS}_count`, labels, value: count },
  ];
}
