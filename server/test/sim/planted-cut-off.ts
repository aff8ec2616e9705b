import type { PlantedBug } from './planted.ts';

/** Bugs of what a death cuts off, and of transactions that it parts. */
export const PLANTED_CUT_OFF: PlantedBug[] = [
  {
    name: 'settled before the request is sent',
    rules: ['attemptUnseen'],
    patches: [
      {
        file: 'engine/delivery/executor.ts',
        find: '    void sendJob(job, now, this.#options)',
        replace: `    const hoped = { outcome: 'response', startedAt: now, durationMs: 1, phases: {}, responseStatus: 200 };
    this.#options.completer.complete(job.claim, attemptOf(job.claim.attempt, hoped as never));
    void sendJob(job, now, this.#options)`,
      },
      {
        file: 'engine/delivery/executor.ts',
        find: 'completer.complete(claim, reading === undefined ? attempt : { ...attempt, ...reading });',
        replace: '',
      },
    ],
  },
  {
    name: 'a new webhook-id when a request is sent again',
    rules: ['secondId'],
    patches: [
      {
        file: 'engine/delivery/job.ts',
        find: ': runId(schedule.id, scheduledFor);',
        replace: ': attempt === 1 ? runId(schedule.id, scheduledFor) : crypto.randomUUID();',
      },
    ],
  },
  {
    name: 'a schedule completed after its last run has ended, in a transaction of its own',
    rules: ['notCompleted'],
    patches: [
      {
        file: 'store/sqlite/queue.ts',
        find: 'if (change) changeSchedule(key[0] as number, change);',
        replace:
          'if (change) setTimeout(() =>\n' +
          '  void commits.write(() => changeSchedule(key[0] as number, change)), 400);',
      },
    ],
  },
  {
    name: 'callbacks written after the run has ended, in a transaction of their own',
    rules: ['callbackLost'],
    patches: [
      {
        file: 'store/sqlite/queue.ts',
        find: 'for (const one of reader.list(CALLBACK.width)) if (!isOvertaken) writeCallback(one);',
        replace:
          'const those = reader.list(CALLBACK.width);\n' +
          'if (!isOvertaken) setTimeout(() => void commits.write(() => those.forEach(writeCallback)), 400);',
      },
    ],
  },
  {
    name: 'runs in flight forgotten at the start',
    rules: ['unfinished', 'unrecorded'],
    patches: [
      {
        file: 'engine/engine.ts',
        find: 'await store.queue.recover(clock.now(), this.#options.lock?.sentUntil ?? undefined);',
        replace: '',
      },
    ],
  },
  {
    name: 'callbacks in flight forgotten at the start',
    rules: ['callbackUnfinished'],
    patches: [
      { file: 'engine/engine.ts', find: 'await store.outbox.recover(clock.now());', replace: '' },
    ],
  },
  {
    name: 'a run that was cut off gives way to the next time',
    rules: ['lostForGood'],
    patches: [
      {
        file: 'store/rows/queue.ts',
        find: "return { state: 'lost', dueAt",
        replace: "return { state: 'retrying', dueAt",
      },
    ],
  },
  {
    name: 'a new webhook-id when a callback is sent again',
    rules: ['callbackSecondId'],
    patches: [
      {
        file: 'engine/delivery/job.ts',
        find: 'const { id, attempt, url, body } = claim;',
        replace:
          'const { attempt, url, body } = claim;\n' +
          '  const id = attempt === 1 ? claim.id : crypto.randomUUID();',
      },
    ],
  },
  {
    name: 'lost attempts kept out of history',
    rules: ['arrivalUnrecorded'],
    patches: [
      {
        file: 'store/rows/queue.ts',
        find: 'attempts: [...attempts, lost] };',
        replace: 'attempts };',
      },
    ],
  },
  {
    name: 'an attempt that was cut off not counted',
    rules: ['sentTwice', 'unfinished'],
    patches: [
      {
        file: 'store/sqlite/queue.ts',
        find: 'attempt = attempt + (',
        replace: "attempt = attempt + (state <> 'lost') * (",
      },
    ],
  },
  {
    name: 'nothing caught up with after a start',
    rules: ['latestMissed'],
    patches: [
      {
        file: 'domain/run/passed.ts',
        find: 'return time < unseenUntil && now - time > seconds * 1_000;',
        replace: 'return time < unseenUntil;',
      },
    ],
  },
  {
    name: 'a last time that passed unseen not caught up with',
    rules: ['unsent', 'latestMissed'],
    patches: [
      {
        file: 'domain/run/queue.ts',
        find: 'if (isTooOld(latest, schedule, now, unseen.until)) {',
        replace: 'if (row.nextFor === null || isTooOld(latest, schedule, now, unseen.until)) {',
      },
    ],
  },
  {
    name: 'sent 400 ms before it is due',
    rules: ['early'],
    patches: [
      {
        file: 'engine/delivery/executor.ts',
        find: 'this.#dueQueue.take(now, limit,',
        replace: 'this.#dueQueue.take(now + 400, limit,',
      },
      {
        file: 'engine/delivery/executor.ts',
        find: 'if (isAhead(job, now) || ',
        replace: 'if (isAhead(job, now + 400) || ',
      },
      {
        file: 'engine/loop.ts',
        find: 'if (now >= this.#dueAt) {',
        replace: 'if (now + 400 >= this.#dueAt) {',
      },
      {
        file: 'engine/loop.ts',
        find: 'Math.min(this.#dueAt - now, this.#maxSleepMs)',
        replace: 'Math.min(this.#dueAt - now - 400, this.#maxSleepMs)',
      },
    ],
  },
  {
    name: 'a schedule and its first time written in two transactions',
    rules: ['unrecorded'],
    patches: [
      {
        file: 'store/sqlite/schedule-codec.ts',
        find: 'if (start) row.run(key, start[0], ...start, needs);',
        replace: 'if (start) setTimeout(() => row.run(key, start[0], ...start, needs), 300);',
      },
    ],
  },
  {
    name: 'claims that come late are dropped',
    rules: ['unrecorded', 'unfinished'],
    patches: [
      {
        file: 'engine/delivery/dispatcher.ts',
        find: '    const { claims, nextDueAt } = taken;',
        replace:
          '    const { claims, nextDueAt } = taken;\n    if (clock.now() - now > 1_000) return now;',
      },
    ],
  },
  {
    name: 'the mark of what was sent reaches ahead',
    rules: ['lostWithoutCrash'],
    patches: [
      {
        file: 'engine/services/sent-watermark.ts',
        find: 'const until = Math.min(latest, now);',
        replace: 'const until = Math.min(latest, now) + 500;',
      },
    ],
  },
];
