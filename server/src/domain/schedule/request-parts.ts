import type { ScheduleBody } from './body.ts';
import { contentTypeOf } from './content-type.ts';
import { given } from './given.ts';
import type { Delivery, Schedule } from './schedule.ts';
import { previousFactsOf, type TemplateFacts, templateFactsOf } from './template/names.ts';
import { namesOf } from './template/parse.ts';
import { rendered } from './template/render.ts';

/** The parts of a schedule that its request is made of. */
export type RequestParts = Pick<Schedule, 'url' | 'verb' | 'headers' | 'data' | 'delivery'>;

/** Callbacks tell of the caller's id and tags, and templates may name the id: only there a firing needs them. */
export function deliveryOf(schedule: ScheduleBody): Delivery | undefined {
  const { body, externalId, tags, destination, integrations = [] } = schedule;
  const isTold = integrations.length > 0;
  const names = schedule.policy?.template === true ? namesOf(schedule) : undefined;
  const delivery = {
    ...(body !== undefined && { body, contentType: contentTypeOf(body) }),
    ...((isTold || names?.has('schedule.externalId')) && given('externalId', externalId)),
    ...(isTold && given('tags', tags)),
    ...given('destination', destination),
    ...(names && given('previous', previousFactsOf(names))),
  };
  return Object.keys(delivery).length === 0 ? undefined : delivery;
}

/**
 * The parts that a body asks for, with its templates filled in for a run of a schedule with this id.
 *
 * @param body without a problem in any of these parts
 */
export function renderedParts(
  body: ScheduleBody,
  id: string,
  run: Pick<TemplateFacts, 'runId' | 'scheduledFor' | 'attempt' | 'trigger'>,
): RequestParts {
  const { url, verb, headers, data, label = '', timezone } = body;
  const delivery = given('delivery', deliveryOf(body));
  const parts = { url, verb, ...given('headers', headers), ...given('data', data), ...delivery };
  return rendered(parts, templateFactsOf({ id, label, timezone, ...delivery }, run));
}
