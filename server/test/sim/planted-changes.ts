import type { PlantedBug } from './planted.ts';

/** Of what callers change, and of what they are told. */
export const PLANTED_CHANGES: PlantedBug[] = [
  {
    name: 'a change does not take back what waits for its instant',
    rules: ['firedStopped', 'notDue', 'arrivalUnrecorded', 'late'],
    patches: [
      {
        file: 'engine/delivery/executor.ts',
        find: 'this.#firings.cancel(scheduleId);',
        replace: '',
      },
    ],
  },
  {
    name: 'a disabled schedule keeps its place in the queue',
    rules: ['notDue', 'firedStopped'],
    patches: [
      {
        file: 'store/sqlite/requeue.ts',
        find: 'else queueRemoveWaiting.run(key);',
        replace: '',
      },
      {
        file: 'domain/run/queue.ts',
        find: "  if (schedule.status !== 'enabled') return { row: null, passed: [], ended: null };\n  const open",
        replace: '  const open',
      },
    ],
  },
  {
    name: 'a change does not move what waits',
    rules: ['notDue', 'unrecorded'],
    patches: [
      {
        file: 'store/sqlite/requeue.ts',
        find: 'ON CONFLICT (schedule_key) DO UPDATE SET due_at = :first, scheduled_for = :first,\n      next_for',
        replace: 'ON CONFLICT (schedule_key) DO UPDATE SET next_for',
      },
    ],
  },
  {
    name: 'times that passed behind a run are forgotten at a change',
    rules: ['unrecorded'],
    patches: [
      {
        file: 'store/sqlite/passed-times.ts',
        find: 'if (row === undefined) return [];',
        replace: 'if (row !== null) return [];',
      },
    ],
  },
  {
    name: 'what a change said behind a request that had not left stays',
    rules: ['skippedWithoutRun'],
    patches: [
      {
        file: 'engine/delivery/taken-back.ts',
        find: 'if (runs.length > 0) await',
        replace: 'if (runs.length < 0) await',
      },
    ],
  },
  {
    name: 'what was cut off is sent again after its schedule was stopped',
    rules: ['firedStopped'],
    patches: [
      {
        file: 'domain/run/queue.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
        find: "  if (schedule.status !== 'enabled') {\n    return `It was not tried again: the schedule was ${schedule.status}.`;\n  }\n  if (isPausedAt(schedule, now)) return pausedReason(schedule);\n",
        replace: '',
      },
    ],
  },
  {
    name: 'a retry comes although its schedule was paused',
    rules: ['firedStopped'],
    patches: [
      {
        file: 'domain/run/queue.ts',
        find: 'if (isPausedAt(schedule, now)) return pausedReason(schedule);',
        replace: '',
      },
      {
        file: 'domain/run/after-attempt.ts',
        find: 'if (isPausedAt(schedule, dueAt)) return pausedReason(schedule);',
        replace: '',
      },
    ],
  },
  {
    name: 'a change is answered before it is written',
    rules: ['notDue', 'firedStopped', 'changeLost'],
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
    name: 'a call that is asked for again under its key makes another schedule',
    rules: ['madeTwice'],
    patches: [
      {
        file: 'api/call-replayer.ts',
        find: 'if (record === null) return null;',
        replace: 'if (record !== null) return null;\n    if (record === null) return null;',
      },
      {
        file: 'store/sqlite/idempotency.ts',
        find: 'isKept: (clientRowId, { key, at }) =>',
        replace: 'isKept: (clientRowId, { key, at }) => false &&',
      },
    ],
  },
  {
    name: 'a trigger is answered before it is written',
    rules: ['triggerLost'],
    patches: [
      {
        file: 'api/routes/trigger-schedule.ts',
        find: 'const inserted = await store.outbox.insertManual(caller.clientRowId, schedule.id, run, call);',
        replace:
          "const inserted = 'inserted' as string;\n  store.outbox.insertManual(caller.clientRowId, schedule.id, run, call).catch(() => {});",
      },
    ],
  },
  {
    name: 'a change of another field ends a pause',
    rules: ['changeUnasked'],
    patches: [
      {
        file: 'domain/schedule/patch.ts',
        find: "...given('pausedUntil', mergedValue(patch.pausedUntil, timing.pausedUntil)),",
        replace: "...given('pausedUntil', mergedValue(patch.pausedUntil, undefined)),",
      },
    ],
  },
  {
    name: 'a time that has passed is told as a next one',
    rules: ['nextDiffers'],
    patches: [
      {
        file: 'api/next-times.ts',
        find: 'let from = now() + 1;',
        replace: 'let from = now() - 999;',
      },
      {
        file: 'api/next-times.ts',
        find: '.filter(time => time > askedUntil);',
        replace: ';',
      },
    ],
  },
  {
    name: 'explain calls a missed time skipped',
    rules: ['explainDiffers'],
    patches: [
      {
        file: 'domain/run/explain.ts',
        find: 'return [status, `It was',
        replace: "return ['skipped', `It was",
      },
    ],
  },
];
