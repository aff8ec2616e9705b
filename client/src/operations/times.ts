import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { Operations, textOf } from './operations.ts';
import { schedulePath } from './schedules.ts';

/** The operations on the times of schedules. */
export class Times extends Operations {
  nextTimes(
    id: string,
    query: Wire.NextQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.Times> {
    return this.read('nextTimes', `${schedulePath(id)}/next${textOf(query)}`, options);
  }

  previewTimes(input: Wire.PreviewInput, options: CallOptions = {}): Promise<Wire.Times> {
    return this.send(
      { operation: 'previewTimes', method: 'POST', path: '/v1/preview', body: input },
      options,
    );
  }

  /** Explains an instant of a schedule: whether a run fired for it, and why. */
  explain(
    id: string,
    query: Wire.ExplainQuery,
    options: CallOptions = {},
  ): Promise<Wire.Explanation> {
    return this.read('explain', `${schedulePath(id)}/explain${textOf(query)}`, options);
  }

  /** Intervals in words, as the service counts them. At most 100 at once. */
  intervalWords(
    input: Wire.WordsInput,
    options: CallOptions = {},
  ): Promise<Wire.IntervalWordsList> {
    return this.send(
      { operation: 'intervalWords', method: 'POST', path: '/v1/words', body: input },
      options,
    );
  }

  listTimezones(options: CallOptions = {}): Promise<string[]> {
    return this.read('listTimezones', '/timezones', options);
  }

  /** How far the clock of a time zone is ahead of UTC. */
  zoneOffsets(query: Wire.OffsetsQuery, options: CallOptions = {}): Promise<Wire.ZoneOffsets> {
    return this.read('zoneOffsets', `/v1/offsets${textOf(query)}`, options);
  }

  /** The release of the time zone rules, and the times that it moved. */
  getTzdata(options: CallOptions = {}): Promise<Wire.ZoneReport> {
    return this.read('getTzdata', '/v1/tzdata', options);
  }
}
