import type { PlantedBug } from './planted.ts';
import { bug } from './planted-in-domain.ts';

/** Bugs of destinations with limits, and of calendars. Each is played where one of its kind is in each world. */

const SLOTS = 'engine/delivery/slots.ts';
const THROTTLE = 'engine/fairness/throttle.ts';
const RECOUNTER = 'engine/services/calendar-recounter.ts';

export const PLANTED_LIMITS: (PlantedBug & { faults?: string[] })[] = [
  bug('limits hold for each schedule alone', ['overConcurrent', 'overRate'], SLOTS, [
    'throttles.of(job.clientRowId, name, limits',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    'throttles.of(job.clientRowId, `${name} ${job.id}`, limits',
  ]),
  bug('a request that is not answered in time keeps its place', ['late', 'missedWhileUp'], SLOTS, [
    'job.throttle?.end(outcome !== null);',
    "if (outcome !== 'timeout') job.throttle?.end(outcome !== null);",
  ]),
  bug('manual runs do not count', ['overConcurrent', 'overRate'], SLOTS, [
    "if (name === undefined || job.kind === 'callback') return;",
    "if (name === undefined || job.kind !== 'schedule') return;",
  ]),
  bug('what has started before there were limits does not count', ['overConcurrent'], SLOTS, [
    'if (limits === null) return;',
    'if (limits?.maxConcurrent === undefined) return;',
  ]),
  bug(
    'limits that change are not seen',
    ['overConcurrent', 'overRate', 'late', 'missedWhileUp'],
    'engine/fairness/throttles.ts',
    [
      '    throttle.setLimits(limits, now);\n    return throttle;',
      '    if (throttle.isFresh(now)) throttle.setLimits(limits, now);\n    return throttle;',
    ],
  ),
  bug('all that waits is put off', ['late', 'missedWhileUp'], THROTTLE, [
    'return Math.max(0, waiting - kept);',
    'return waiting;',
  ]),
  bug('a second brings a quarter more', ['overRate'], 'engine/fairness/token-bucket.ts', [
    '(passedMs * this.#perSecond) / 1_000);',
    '(passedMs * this.#perSecond) / 800);',
  ]),
  bug('a turn by the second is seen a quarter late', ['late'], SLOTS, [
    'throttle.nextStartAt(now));',
    'throttle.nextStartAt(now) + 250);',
  ]),
  bug(
    'a time that limits held back does not say so',
    ['causeWrong'],
    'engine/fairness/throttles.ts',
    ['return hasHeldBack ?', 'return hasHeldBack && scheduledFor < 0 ?'],
  ),
];

export const PLANTED_CALENDARS: PlantedBug[] = [
  bug(
    'a change of a calendar is not counted',
    ['notDue', 'unrecorded'],
    'api/routes/put-calendar.ts',
    ['engine.calendarsChanged();', ''],
  ),
  bug('a change of a calendar leaves the next time', ['notDue', 'unrecorded'], RECOUNTER, [
    'isKept && !row.begun ?',
    'row !== null && !row.begun ?',
  ]),
  bug('a run in flight ends by the calendar as it was', ['notDue', 'unrecorded'], RECOUNTER, [
    'isKept && !row.begun ?',
    'isKept ?',
  ]),
  bug('what is claimed ahead fires although it is excluded now', ['notDue'], RECOUNTER, [
    'if (!isKept) this.#options.changed(id, requeue.changedAt);',
    '',
  ]),
  bug(
    'only the first calendar of a schedule counts',
    ['notDue', 'unrecorded'],
    'domain/schedule/calendar-change.ts',
    ['timing.exclude.flatMap(', 'timing.exclude.slice(0, 1).flatMap('],
  ),
  bug(
    'a day of a calendar is one by UTC',
    ['notDue', 'unrecorded'],
    'domain/calendar/exclusion/exclusions.ts',
    ['new Stretches(all.filter(period => period.isLocal))', 'new Stretches([])'],
    ['new Stretches(all.filter(period => !period.isLocal))', 'new Stretches(all)'],
  ),
  bug(
    'explain says of an excluded time that it is none',
    ['explainDiffers'],
    'domain/run/explain.ts',
    ["return ['excluded',", "return ['neverDue',"],
  ),
];
