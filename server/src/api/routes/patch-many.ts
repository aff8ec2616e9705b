import { callerOf } from '../access/authenticate.ts';
import { scheduleAnswer } from '../answers.ts';
import { EXAMPLE_CHANGED_SCHEDULE } from '../openapi/examples/schedules.ts';
import { BatchResult, PatchManyInput } from '../openapi/schemas/schedule.ts';
import { patchMany } from '../patch-many.ts';
import { route } from '../route.ts';

export const patchSchedules = route({
  method: 'POST',
  path: '/v1/schedule/patch',
  operationId: 'patchSchedules',
  summary: 'Change some properties of up to 1,000 schedules, all or nothing',
  description:
    'Those that `ids` names, or all with `tag`. An error names the schedule that it is about, and nothing is changed then. ' +
    'The answer has the order of `ids`; those of a tag are newest first.',
  tag: 'schedules',
  body: PatchManyInput,
  answer: BatchResult,
  bodyLimit: 'batchBodyBytes',
  example: {
    body: {
      tag: 'team:billing',
      patch: {
        label: EXAMPLE_CHANGED_SCHEDULE.label,
        policy: EXAMPLE_CHANGED_SCHEDULE.policy,
      },
    },
    answer: { items: [EXAMPLE_CHANGED_SCHEDULE] },
  },
  handle: deps => async request => {
    const items = await patchMany(deps, callerOf(request), request.body);
    const now = deps.clock.now();
    return { items: items.map(schedule => scheduleAnswer(schedule, now)) };
  },
});
