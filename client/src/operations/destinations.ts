import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { itemsOf, Operations, PAGE_ITEMS, textOf } from './operations.ts';

/** The operations on destinations. */
export class Destinations extends Operations {
  /** Makes or replaces a destination. A write-only field that is left out is kept. */
  putDestination(
    name: string,
    input: Wire.DestinationInput,
    options: CallOptions = {},
  ): Promise<Wire.Destination> {
    return this.send(
      { operation: 'putDestination', method: 'PUT', path: destinationPath(name), body: input },
      options,
    );
  }

  /** Without its secrets. */
  getDestination(name: string, options: CallOptions = {}): Promise<Wire.Destination> {
    return this.read('getDestination', destinationPath(name), options);
  }

  listDestinations(
    query: Wire.DestinationQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.DestinationPage> {
    return this.read('listDestinations', `/v1/destination${textOf(query)}`, options);
  }

  /** All destinations by name, page by page; `limit` is the size of a page. */
  destinations(
    query: Wire.DestinationQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Wire.Destination, void, undefined> {
    return itemsOf(cursor =>
      this.listDestinations({ limit: PAGE_ITEMS, ...query, ...cursor }, options),
    );
  }

  /** Refused while a schedule names it. */
  deleteDestination(name: string, options: CallOptions = {}): Promise<Wire.DestinationDeletion> {
    return this.send(
      { operation: 'deleteDestination', method: 'DELETE', path: destinationPath(name) },
      options,
    );
  }
}

const destinationPath = (name: string) => `/v1/destination/${encodeURIComponent(name)}`;
