import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import {
  type ChangeOptions,
  itemsOf,
  type KeyedOptions,
  Operations,
  PAGE_ITEMS,
  textOf,
} from './operations.ts';

export interface UpsertOptions extends ChangeOptions {
  /** `*`: where the schedule is there already, it is a 412. */
  ifNoneMatch?: '*';
}

export interface TaggedSchedule {
  schedule: Wire.Schedule;
  /** The version of the schedule, in quotes. */
  etag: string;
}

/** The service gives the target of `trySchedule` 30 s; the answer comes behind that. */
const TRY_MS = 45_000;

/** The operations on schedules. */
export class Schedules extends Operations {
  createSchedule(input: Wire.ScheduleInput, options: KeyedOptions = {}): Promise<Wire.Schedule> {
    return this.send(
      {
        operation: 'createSchedule',
        method: 'POST',
        path: '/v1/schedule',
        body: input,
        idempotencyKey: options.idempotencyKey,
      },
      options,
    );
  }

  /** Up to 1,000 schedules, all or nothing. */
  createSchedules(
    items: Wire.ScheduleInput[],
    options: KeyedOptions = {},
  ): Promise<Wire.BatchResult> {
    const body: Wire.BatchInput = { items };
    return this.send(
      {
        operation: 'createSchedules',
        method: 'POST',
        path: '/v1/schedule/batch',
        body,
        idempotencyKey: options.idempotencyKey,
      },
      options,
    );
  }

  listSchedules(
    query: Wire.ScheduleQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.SchedulePage> {
    return this.read('listSchedules', `/v1/schedule${textOf(query)}`, options);
  }

  /** Schedules with their latest outcomes, in the order that `sort` asks for. */
  listHealth(query: Wire.HealthQuery = {}, options: CallOptions = {}): Promise<Wire.HealthPage> {
    return this.read('listHealth', `/v1/schedule/health${textOf(query)}`, options);
  }

  /** All that the query asks for, page by page, newest first; `limit` is the size of a page. */
  schedules(
    query: Wire.ScheduleQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Wire.Schedule, void, undefined> {
    return itemsOf(cursor =>
      this.listSchedules({ limit: PAGE_ITEMS, ...query, ...cursor }, options),
    );
  }

  /** A deleted one too. */
  getSchedule(id: string, options: CallOptions = {}): Promise<Wire.Schedule> {
    return this.read('getSchedule', schedulePath(id), options);
  }

  /** The schedule with the ETag of its version, for `ifMatch` of a change. */
  async getTaggedSchedule(id: string, options: CallOptions = {}): Promise<TaggedSchedule> {
    const call = { operation: 'getTaggedSchedule', method: 'GET', path: schedulePath(id) };
    const { answer, headers } = await this.transport.send<Wire.Schedule>(call, options);
    return { schedule: answer, etag: headers.get('ETag') ?? '' };
  }

  /** All properties: optional ones that are left out are not kept. */
  replaceSchedule(
    id: string,
    input: Wire.ScheduleInput,
    options: ChangeOptions = {},
  ): Promise<Wire.Schedule> {
    return this.change(
      { operation: 'replaceSchedule', method: 'PUT', path: schedulePath(id), body: input },
      options,
    );
  }

  /**
   * Replaces the schedule with this external id, or makes it where there is none. So it may be repeated: of callers that
   * race, one makes the schedule.
   */
  upsertSchedule(
    externalId: string,
    input: Wire.ScheduleInput,
    { ifNoneMatch, ...options }: UpsertOptions = {},
  ): Promise<Wire.Schedule> {
    return this.change(
      {
        operation: 'upsertSchedule',
        method: 'PUT',
        path: schedulePath(byExternalId(externalId)),
        body: input,
        ...(ifNoneMatch !== undefined && { headers: { 'If-None-Match': ifNoneMatch } }),
      },
      options,
    );
  }

  patchSchedule(
    id: string,
    patch: Wire.SchedulePatch,
    options: ChangeOptions = {},
  ): Promise<Wire.Schedule> {
    return this.change(
      { operation: 'patchSchedule', method: 'PATCH', path: schedulePath(id), body: patch },
      options,
    );
  }

  /** The same patch for up to 1,000 schedules, all or nothing. */
  patchSchedules(input: Wire.PatchManyInput, options: CallOptions = {}): Promise<Wire.BatchResult> {
    return this.send(
      { operation: 'patchSchedules', method: 'POST', path: '/v1/schedule/patch', body: input },
      options,
    );
  }

  deleteSchedule(id: string, options: ChangeOptions = {}): Promise<Wire.DeleteResult> {
    return this.change(
      { operation: 'deleteSchedule', method: 'DELETE', path: schedulePath(id) },
      options,
    );
  }

  /** The versions of a schedule, newest first: who stored each, and what it changed. */
  listVersions(
    id: string,
    query: Wire.VersionsQuery = {},
    options: CallOptions = {},
  ): Promise<Wire.VersionPage> {
    return this.read('listVersions', `${schedulePath(id)}/version${textOf(query)}`, options);
  }

  /** A schedule as it was. */
  getVersion(id: string, version: number, options: CallOptions = {}): Promise<Wire.Schedule> {
    return this.read('getVersion', `${schedulePath(id)}/version/${version}`, options);
  }

  /** Runs it now, once. */
  triggerSchedule(id: string, options: KeyedOptions = {}): Promise<Wire.Run> {
    return this.send(
      {
        operation: 'triggerSchedule',
        method: 'POST',
        path: `${schedulePath(id)}/trigger`,
        idempotencyKey: options.idempotencyKey,
      },
      options,
    );
  }

  /** Checks a schedule as a create would, without storing anything. */
  checkSchedule(input: Wire.ScheduleInput, options: CallOptions = {}): Promise<Wire.CheckResult> {
    return this.send(
      { operation: 'checkSchedule', method: 'POST', path: '/v1/check', body: input },
      options,
    );
  }

  /** Sends the request of a schedule once, without storing anything. */
  trySchedule(input: Wire.ScheduleInput, options: CallOptions = {}): Promise<Wire.TryResult> {
    const call = { operation: 'trySchedule', method: 'POST', path: '/v1/try', body: input };
    const timeoutMs = Math.max(this.transport.timeoutMs, TRY_MS);
    return this.send(call, { timeoutMs, ...options });
  }
}

/** Names a schedule by its external id, for each method that takes an id. */
export function byExternalId(externalId: string): string {
  return `ext:${externalId}`;
}

export const schedulePath = (id: string) => `/v1/schedule/${encodeURIComponent(id)}`;
