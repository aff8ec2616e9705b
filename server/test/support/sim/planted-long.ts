import type { NodeBug } from './planted-nodes.ts';

/** Bugs of long worlds, of figures, of retention and of rows in flight, which the simulator must find. */

const LONG = { faults: ['long'] };
const COUNTED = { faults: ['counts'] };

export const LONG_BUGS: NodeBug[] = [
  {
    ...LONG,
    name: 'retention takes a younger hour with the day',
    rules: ['prunedYoung'],
    patches: [
      {
        file: 'store/rows/retention-class.ts',
        find: "return Math.max(0, dayOf(keep === 'short' ? succeededBefore : failedBefore));",
        replace:
          "return Math.max(0, dayOf(keep === 'short' ? succeededBefore : failedBefore) + 3_600_000);",
      },
    ],
  },
  {
    ...LONG,
    name: 'a day is cut by another zone than UTC',
    rules: ['prunedYoung'],
    patches: [
      {
        file: 'store/rows/retention-class.ts',
        find: 'return Math.floor(instant / DAY_MS) * DAY_MS;',
        replace: 'return Math.floor(instant / DAY_MS) * DAY_MS + DAY_MS / 4;',
      },
    ],
  },
  {
    ...LONG,
    name: 'failed runs go with the others',
    rules: ['prunedYoung'],
    patches: [
      {
        file: 'store/rows/retention-class.ts',
        find: "keep === 'short' ? succeededBefore : failedBefore",
        replace: "keep === 'short' ? succeededBefore : succeededBefore",
      },
    ],
  },
  {
    ...LONG,
    name: 'retention goes on from the end of history',
    rules: ['keptOld'],
    patches: [
      {
        file: 'engine/services/pruner.ts',
        find: 'if (count === 0) return clock.now() + LOOK_EVERY_MS;',
        replace: 'if (count === 0) return clock.now() + 100 * LOOK_EVERY_MS;',
      },
    ],
  },
  {
    ...COUNTED,
    name: 'a record of many missed times counts as one',
    rules: ['countDiffers'],
    patches: [
      { file: 'store/sqlite/stats.ts', find: "sum((missed ->> 'count') - 1)", replace: '0' },
    ],
  },
  {
    ...COUNTED,
    name: 'a minute counts what ended as the next one began',
    rules: ['countDiffers'],
    patches: [
      {
        file: 'store/sqlite/stats.ts',
        find: 'WHERE client_key = ? AND finished_at >= ? AND finished_at < ?\n    GROUP BY 1, 2, 3, 4',
        replace:
          'WHERE client_key = ? AND finished_at >= ? AND finished_at < ? + 1000\n    GROUP BY 2, 3, 4',
      },
    ],
  },
  {
    ...COUNTED,
    name: 'a minute that was counted is not counted again',
    rules: ['countDiffers'],
    patches: [{ file: 'api/stats/minutes.ts', find: 'if (ageThen < 0) return true;', replace: '' }],
  },
  {
    ...COUNTED,
    name: 'a history begins a step late',
    rules: ['countDiffers'],
    patches: [
      {
        file: 'store/sqlite/stats.ts',
        find: 'AND scheduled_for >= :from AND scheduled_for < :to\n      ORDER BY scheduled_for DESC LIMIT :limit + 0)\n    GROUP BY 1, 2, 3',
        replace:
          'AND scheduled_for > :from AND scheduled_for < :to\n      ORDER BY scheduled_for DESC LIMIT :limit + 0)\n    GROUP BY 1, 2, 3',
      },
    ],
  },
  {
    ...LONG,
    name: 'a fixed time fires in both passes of an hour that comes twice',
    rules: ['notDue', 'wrongCount'],
    patches: [
      {
        file: 'domain/calendar/cron/occurrence.ts',
        find: 'return isRepeated && !interval.followsClock ? start - segment.shiftMs : start;',
        replace: 'return isRepeated && interval === null ? start - segment.shiftMs : start;',
      },
    ],
  },
  {
    ...LONG,
    name: 'a fixed time in a gap is left out',
    rules: ['unrecorded', 'wrongCount'],
    patches: [
      {
        file: 'domain/calendar/cron/occurrence.ts',
        find: 'if (interval.followsClock) return false;',
        replace: 'if (interval !== null) return false;',
      },
    ],
  },
  {
    ...LONG,
    name: 'a one-off in a gap is an hour late',
    rules: ['unsent', 'unrecorded', 'notDue', 'notCompleted'],
    patches: [
      {
        file: 'domain/calendar/local-instant.ts',
        find: '{ at: segment.startAt, gapMs: segment.shiftMs }',
        replace: '{ at: segment.startAt + segment.shiftMs, gapMs: segment.shiftMs }',
      },
    ],
  },
  {
    name: 'what a process has claimed and cannot decide about stays in flight',
    rules: ['ownerless'],
    faults: ['counts', 'refuse'],
    patches: [
      {
        file: 'engine/delivery/dispatcher.ts',
        find: 'const giveBack = (claim: Claim) => completer.giveBack(claim);',
        replace: 'const giveBack = (_: Claim) => {};',
      },
    ],
  },
];
