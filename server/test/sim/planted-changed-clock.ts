import type { ClockBug } from '../support/sim/planted-clock.ts';

const FAULTS = ['step', 'edits'];

/** Of what callers change while the clock is set. */
export const PLANTED_CHANGED_CLOCK: ClockBug[] = [
  {
    name: 'a change begins beyond what a clock that was ahead has sent',
    rules: ['silent', 'unrecorded'],
    faults: FAULTS,
    patches: [
      {
        file: 'domain/run/start.ts',
        find: 'return open > first ? lastTime(before, first, open - 1) : null;',
        replace: 'return lastTime(before, first, first + 60_000);',
      },
    ],
  },
  {
    name: 'a pause is judged by the last change',
    rules: ['firedStopped'],
    faults: FAULTS,
    patches: [
      {
        file: 'domain/schedule/draft.ts',
        find: '!isSameTiming(openPause(before, now), openPause(after, now))',
        replace:
          '!isSameTiming(openPause(before, after.updatedAt ?? now), openPause(after, after.updatedAt ?? now))',
      },
    ],
  },
  {
    name: 'a change is answered before it is written, by any clock',
    rules: ['changeLost'],
    faults: FAULTS,
    patches: [
      {
        file: 'api/update-schedule.ts',
        find: 'const isWritten = await store.schedules.update(clientRowId, next, version, requeue, changer);',
        replace:
          'const isWritten = true;\n  store.schedules.update(clientRowId, next, version, requeue, changer).catch(() => {});',
      },
    ],
  },
  {
    name: 'a change does not move what waits, by any clock',
    rules: ['notDue', 'unrecorded'],
    faults: FAULTS,
    patches: [
      {
        file: 'store/sqlite/requeue.ts',
        find: 'ON CONFLICT (schedule_key) DO UPDATE SET due_at = :first, scheduled_for = :first,\n      next_for',
        replace: 'ON CONFLICT (schedule_key) DO UPDATE SET next_for',
      },
    ],
  },
  {
    name: 'a schedule that is enabled again forgets its last fence',
    rules: ['fence'],
    faults: FAULTS,
    patches: [
      {
        file: 'store/fence.ts',
        find: 'SELECT fence FROM fences WHERE',
        replace: 'SELECT NULL FROM fences WHERE',
      },
    ],
  },
  {
    name: 'a manual run without a row takes no fence',
    rules: ['fence'],
    faults: FAULTS,
    patches: [{ file: 'store/fence.ts', find: 'fences.fence + 1)', replace: '0)' }],
  },
];
