import { startOf } from '../../domain/run/start.ts';
import { draftNew } from '../../domain/schedule/draft.ts';
import { NO_REFERENCES } from '../../domain/schedule/references.ts';
import type { VersionedSchedule } from '../../store/contract/schedules.ts';
import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { findSchedule } from '../find-schedule.ts';
import { etagOf, FIRST_VERSION } from '../http/etag.ts';
import { EXAMPLE_INPUT, EXAMPLE_SCHEDULE } from '../openapi/examples/schedules.ts';
import { Schedule, ScheduleInput } from '../openapi/schemas/schedule.ts';
import { recountReplaced } from '../recount-replaced.ts';
import { referencesFor } from '../references.ts';
import { route } from '../route.ts';

export const createSchedule = route({
  method: 'POST',
  path: '/v1/schedule',
  operationId: 'createSchedule',
  summary: 'Create a schedule',
  description:
    'It is enabled unless the body says otherwise, and fires first at its next time after now.',
  tag: 'schedules',
  body: ScheduleInput,
  answer: Schedule,
  isTagged: true,
  isKeyed: true,
  example: { body: EXAMPLE_INPUT, answer: EXAMPLE_SCHEDULE },
  handle: deps => (request, reply) => {
    const { store, clock, allow, engine, replayer } = deps;
    const { body } = request;
    const caller = callerOf(request);
    const answer = ({ schedule, version }: VersionedSchedule) => {
      reply.header('ETag', etagOf(version));
      return scheduleAnswer(schedule, clock.now());
    };
    return replayer.answer(request, reply, {
      // A plain create waits for nothing but its insert.
      async make(call) {
        const { clientRowId } = caller;
        const { exclude, destination } = body;
        const isNaming = exclude !== undefined || destination !== undefined;
        const references = isNaming
          ? await referencesFor(store, clientRowId, [body])
          : NO_REFERENCES;
        const now = clock.now();
        const schedule = draftNew(body, now, allow, references);
        const start = startOf(schedule, now);
        if (!(await store.schedules.insert(clientRowId, [{ schedule, start }], call))) return null;
        if (start) engine.wake(start.first);
        if (exclude) await recountReplaced(deps, clientRowId, references.calendars);
        return answer({ schedule, version: FIRST_VERSION });
      },
      replay: async ([id]) => answer(await findSchedule(store, caller, id!)),
    });
  },
});
