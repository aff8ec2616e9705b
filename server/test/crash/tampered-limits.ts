import type { Evidence, LimitsSeen } from '../../sim/model/evidence.ts';
import { at, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

/**
 * Two schedules share a destination that lets two requests through at a time, and two in a second; and a calendar takes one of four
 * times from a third one.
 */
export function limitedWorld(): Evidence {
  const world = new Synthetic();
  for (const id of ['one', 'other']) {
    world.schedule(id, '*/5 * * * * *');
    for (const second of [5, 15, 20]) world.fired(id, second, [second, 50, 200]);
    world.fired(id, 10, [10, 50, 200]);
  }
  world.schedule('excluding', '*/5 * * * * *');
  for (const second of [5, 10, 20]) world.fired('excluding', second, [second, 50, 200]);
  const { evidence } = world;
  const asked = { askedAt: at(11), answeredAt: at(11.1) };
  evidence.nexts = [{ scheduleId: 'one', ...asked, times: [at(15), at(20)] }];
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  for (const seen of evidence.schedules.slice(0, 2)) seen.destination = 'narrow';
  evidence.schedules[2]!.excludes = { names: ['freeze'] };
  const limits = { maxConcurrent: 2, perSecond: 2 };
  const versions: LimitsSeen[] = [{ limits, askedAt: at(0.5), answeredAt: at(0.6) }];
  evidence.destinations = [{ name: 'narrow', versions }];
  const periods = [{ from: '2026-03-01T12:00:12Z', to: '2026-03-01T12:00:20Z' }];
  const change = { periods, askedAt: at(0.5), answeredAt: at(0.6) };
  evidence.calendars = [{ name: 'freeze', versions: [change] }];
  return evidence;
}

/** As `TAMPERED`, of `limitedWorld`. */
export const TAMPERED_LIMITS: TamperedEvidence[] = [
  [
    'two requests are in flight where one may be',
    ['overConcurrent'],
    w => Object.assign(limitsOf(w), { maxConcurrent: 1 }),
  ],
  [
    'two requests start in a second that brings one',
    ['overRate'],
    w => Object.assign(limitsOf(w), { perSecond: 1 }),
  ],
  [
    'a time is missed that no limit was in the way of',
    ['missedWhileUp', 'causeWrong'],
    w => {
      const run = w.runs.find(({ scheduleId }) => scheduleId === 'one')!;
      w.arrivals = w.arrivals.filter(({ webhookId }) => webhookId !== run.id);
      Object.assign(run, { status: 'missed', attempts: [], reason: 'Nothing.' });
    },
  ],
  [
    'a time that a calendar excludes is on record',
    ['notDue'],
    w => {
      w.calendars![0]!.versions[0]!.periods[0]!.from = '2026-03-01T12:00:09Z';
    },
  ],
  [
    'a time that no calendar excludes any more has no record',
    ['unrecorded'],
    w => {
      const change = { periods: [], askedAt: at(11), answeredAt: at(11.1) };
      w.calendars![0]!.versions.push(change);
    },
  ],
  [
    'a caller is told of an excluded time that it is none',
    ['explainDiffers'],
    w => {
      const asked = { askedAt: at(16), answeredAt: at(16.1) };
      w.explained.push({ scheduleId: 'excluding', at: at(15), ...asked, verdict: 'neverDue' });
    },
  ],
  [
    'a caller is told of next times, and one of them is left out',
    ['nextDiffers'],
    w => {
      const asked = { askedAt: at(11), answeredAt: at(11.1) };
      w.nexts = [{ scheduleId: 'one', ...asked, times: [at(15), at(25)] }];
    },
  ],
];

function limitsOf({ destinations }: Evidence) {
  return destinations![0]!.versions[0]!.limits!;
}
