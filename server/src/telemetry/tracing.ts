import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';
import type { RunRecord } from '../domain/run/run.ts';
import type { SuccessDemands } from '../domain/run/success.ts';
import { faultOf, type OutboundRequest, type Send, type SendResult } from '../outbound/send.ts';
import type { Store } from '../store/contract/store.ts';

/**
 * Traces: a span for each schedule, with its attempts and callbacks below it.
 *
 * The trace id of a run follows from the run's id, which follows from schedule and nominal time. So
 * attempts that different nodes make hours apart share one trace, and nothing has to be stored.
 * Requests carry `traceparent`, unless the schedule sets its own.
 *
 * A collector may belong to somebody else, and the path of many webhooks is a secret. So no span
 * carries the path or query of a target, or the location of a redirect.
 *
 * This file is loaded only where the environment asks for traces: without them, no firing knows of
 * it.
 */
export interface Tracing {
  send(send: Send): Send;
  /** The store as the engine sees it: a run that is written to history ends its span. */
  store(store: Store): Store;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** Settings of OpenTelemetry itself are read from `OTEL_*` by its own packages. */
export function startTracing(): Tracing {
  const ids = new FixedIds();
  const resource = resourceFromAttributes({ 'service.name': 'punctual' }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const provider = new TracerProvider({
    idGenerator: ids,
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const tracer = provider.getTracer('punctual');

  function endFiring(run: RunRecord): void {
    const { traceId, spanId } = traceOf(run.id);
    const span = ids.withNext(traceId, spanId, () =>
      tracer.startSpan(`firing ${run.trigger}`, { startTime: run.scheduledFor, root: true }),
    );
    span.setAttributes({
      'punctual.run.id': run.id,
      'punctual.run.status': run.status,
      'punctual.run.trigger': run.trigger,
      'punctual.run.attempts': run.attempts.length,
      ...(run.startedAt !== undefined && {
        'punctual.run.late_ms': run.startedAt - run.scheduledFor,
      }),
    });
    if (run.status === 'failed') fail(span, whyFailed(run));
    span.end(run.finishedAt ?? run.scheduledFor);
  }

  return {
    send: send => async request => {
      const facts = factsOf(request);
      const { host } = new URL(request.url);
      const span = tracer.startSpan(
        `${request.method} ${facts.kind}`,
        {
          kind: SpanKind.CLIENT,
          attributes: {
            'http.request.method': request.method,
            'server.address': host,
            'webhook.id': facts.id,
            ...(facts.attempt !== undefined && { 'punctual.attempt': facts.attempt }),
          },
        },
        belowFiring(facts.runId),
      );
      const result = await send(withParent(request, span.spanContext()));
      end(span, result, request.success);
      return result;
    },
    store(store) {
      const queue = Object.create(store.queue, {
        settle: {
          value: async (...settled: Parameters<typeof store.queue.settle>) => {
            const lost = await store.queue.settle(...settled);
            for (const { scheduleRowId, records } of settled[0]) {
              if (!lost.includes(scheduleRowId)) records.forEach(endFiring);
            }
            return lost;
          },
        },
      });
      const outbox = Object.create(store.outbox, {
        settle: {
          value: async (...settled: Parameters<typeof store.outbox.settle>) => {
            const lost = await store.outbox.settle(...settled);
            for (const { id, record } of settled[0]) {
              if (record !== undefined && !lost.includes(id)) endFiring(record);
            }
            return lost;
          },
        },
      });
      return { ...store, queue, outbox };
    },
    stop: () => within(STOP_MS, provider.shutdown()),
  };
}

/** Of an answer only the status: the sentence of a redirect says where it points to. */
function whyFailed({ attempts, reason }: RunRecord): string | undefined {
  const last = attempts.at(-1);
  return last?.outcome === 'response' ? `status ${last.responseStatus}` : (last?.error ?? reason);
}

/** A collector that does not answer holds up no stop. */
const STOP_MS = 2_000;

async function within(ms: number, work: Promise<void>): Promise<void> {
  const abort = new AbortController();
  const limit = setTimeout(ms, undefined, { signal: abort.signal }).catch(() => {});
  await Promise.race([work.catch(() => {}), limit]);
  abort.abort();
}

/** Hashed: the bits of a run's id are its schedule's, and samplers go by those of the trace. */
export function traceOf(runId: string): { traceId: string; spanId: string } {
  const digest = createHash('sha256').update(runId).digest('hex');
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
}

function belowFiring(runId: string): Context {
  const parent = { ...traceOf(runId), traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** The facts of a request, from the headers that all requests of the service have. */
function factsOf({ headers, body }: OutboundRequest) {
  const header = (name: string) => {
    const at = headers.findIndex((each, index) => index % 2 === 0 && each === name);
    return at === -1 ? undefined : headers[at + 1];
  };
  const id = header('webhook-id') ?? '';
  const attempt = header('Punctual-Attempt');
  if (header('Punctual-Scheduled-For') !== undefined) {
    return { kind: 'attempt', id, runId: id, attempt: Number(attempt) };
  }
  const callback = JSON.parse(body ?? '{}') as { data?: { run?: { id?: string } } };
  return { kind: 'callback', id, runId: callback.data?.run?.id ?? id, attempt: undefined };
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
function withParent(
  request: OutboundRequest,
  { traceId, spanId, traceFlags }: { traceId: string; spanId: string; traceFlags: number },
): OutboundRequest {
  const isOwn = request.headers.some(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'traceparent',
  );
  if (isOwn) return request;
  const flags = traceFlags.toString(16).padStart(2, '0');
  const headers = [...request.headers, 'traceparent', `00-${traceId}-${spanId}-${flags}`];
  return { ...request, headers };
}

type Span = ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>;

/** Of an answer only the status, as above. */
function end(span: Span, result: SendResult, success: SuccessDemands | undefined): void {
  const { outcome, responseStatus, error, phases } = result;
  span.setAttribute('punctual.outcome', outcome);
  if (responseStatus !== undefined) span.setAttribute('http.response.status_code', responseStatus);
  for (const [name, ms] of Object.entries(phases)) span.setAttribute(`punctual.phase.${name}`, ms);
  if (faultOf(result, success) !== undefined) fail(span, error);
  span.end();
}

function fail(span: Span, message: string | undefined): void {
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
}

/** Random ids, but for the one span that is known beforehand. */
class FixedIds extends RandomIdGenerator {
  withNext<T>(traceId: string, spanId: string, work: () => T): T {
    const random = { trace: this.generateTraceId, span: this.generateSpanId };
    this.generateTraceId = () => traceId;
    this.generateSpanId = () => spanId;
    try {
      return work();
    } finally {
      this.generateTraceId = random.trace;
      this.generateSpanId = random.span;
    }
  }
}
