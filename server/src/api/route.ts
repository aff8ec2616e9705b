import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from './access/authenticate.ts';
import type { CallReplayer } from './call-replayer.ts';
import type { ApiDeps, Limits } from './deps.ts';
import { type Operation, schemaOf } from './openapi/operation.ts';
import type { ScheduleGroups } from './stats/groups.ts';
import type { HistoryStats } from './stats/history.ts';

/**
 * An endpoint is one value. Fastify registers it, and the document shows it, from its one description.
 */
export interface Endpoint<Needs = EndpointDeps> {
  method: Operation['method'];
  path: string;
  /** Null: it is not part of the document. */
  operation: Operation | null;
  /** The limit of its body; left out: the usual one. */
  bodyLimit?: 'bodyBytes' | 'batchBodyBytes' | 'calendarBodyBytes' | 'completionBytes' | undefined;
  /** Called once for each API that is built. The function that it returns is called for each request. */
  handle(needs: Needs): Handle;
}

/** The dependencies that an endpoint may use. */
export interface EndpointDeps extends ApiDeps {
  authenticator: Authenticator;
  /** Counted once, for all endpoints that show them. */
  groups: ScheduleGroups;
  /** Of all endpoints: they share what is counted. */
  history: HistoryStats;
  /** Of all endpoints: a key is one call's, whichever it asks. */
  replayer: CallReplayer;
  /** `end` is called when the API is to end: it ends what would keep it open. */
  beforeClose(end: () => void): void;
}

interface Written<Path extends string, Query, Body, Answer, Needs>
  extends Operation<Path, Query, Body, Answer> {
  bodyLimit?: Endpoint['bodyLimit'];
  handle(needs: Needs): Handle<Path, Query, Body, Answer>;
}

type Handle<Path extends string = string, Query = never, Body = never, Answer = unknown> = (
  request: FastifyRequest<{
    Params: Record<ParameterOf<Path>, string>;
    Querystring: Query;
    Body: Body;
  }>,
  reply: FastifyReply,
) => Promise<Answer | FastifyReply>;

/** The names behind the colons of a path. */
type ParameterOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParameterOf<More>
    : Rest
  : never;

/** An endpoint of the document. */
export function route<Path extends string, Query, Body, Answer, Needs = EndpointDeps>(
  written: Written<Path, Query, Body, Answer, Needs>,
): Endpoint<Needs> {
  const { method, path, bodyLimit, handle } = written;
  return { method, path, operation: written, bodyLimit, handle };
}

/** An endpoint that is not part of the document: its answer is not JSON, or the document itself. */
export function page<Needs>(path: string, handle: Endpoint<Needs>['handle']): Endpoint<Needs> {
  return { method: 'GET', path, operation: null, handle };
}

export const hasBody = ({ operation }: Endpoint) => operation?.body !== undefined;

export function addEndpoint<Needs>(
  app: FastifyInstance,
  { method, path, operation, bodyLimit = 'bodyBytes', handle }: Endpoint<Needs>,
  needs: Needs,
  limits: Limits,
): void {
  const url = path.slice(app.prefix.length);
  const schema = operation === null ? { hide: true } : schemaOf(operation);
  app.route({ method, url, schema, bodyLimit: limits[bodyLimit], handler: handle(needs) });
}
