import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { itemsOf, Operations, PAGE_ITEMS, textOf } from './operations.ts';

/** The operations that read runs. */
export class Runs extends Operations {
  listRuns(query: Wire.RunQuery = {}, options: CallOptions = {}): Promise<Wire.RunPage> {
    return this.read('listRuns', `/v1/run${textOf(query)}`, options);
  }

  /** All that the query asks for, page by page, newest first; `limit` is the size of a page. */
  runs(
    query: Wire.RunQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Wire.Run, void, undefined> {
    return itemsOf(cursor => this.listRuns({ limit: PAGE_ITEMS, ...query, ...cursor }, options));
  }

  getRun(id: string, options: CallOptions = {}): Promise<Wire.Run> {
    return this.read('getRun', `/v1/run/${encodeURIComponent(id)}`, options);
  }

  /** The request of a run as it was sent, made anew from the schedule as it was then. */
  getRunRequest(
    id: string,
    query: Wire.RunRequestQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.RunRequest> {
    const path = `/v1/run/${encodeURIComponent(id)}/request${textOf(query)}`;
    return this.read('getRunRequest', path, options);
  }
}
