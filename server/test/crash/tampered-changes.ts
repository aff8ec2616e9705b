import type { ChangeSeen, Content, Evidence, VersionSeen } from '../../sim/model/evidence.ts';
import { at, iso, passed, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

const BEFORE: Content = {
  url: 'https://target.example/ok',
  interval: '*/5 * * * * *',
  timezone: 'UTC',
  status: 'enabled',
};
const STOPPED = { ...BEFORE, status: 'disabled' };
const EACH_SECOND = { ...BEFORE, interval: '* * * * * *' };
const AFTER = { ...BEFORE, interval: '*/4 * * * * *' };

/** A schedule that fires every five seconds, is disabled at 6.2 s, and fires every four seconds from 8.3 s on. */
export function changedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('changed', BEFORE.interval);
  world.fired('changed', 5, [5, 10, 200]);
  world.fired('changed', 12, [12.65, 10, 200]);
  world.fired('changed', 16, [16, 10, 200]);
  world.fired('changed', 20, [20, 10, 200]);
  const [seen] = world.evidence.schedules;
  seen!.versions = [version(0, 1.5, BEFORE), version(1, 6.2, STOPPED), version(2, 8.3, AFTER)];
  seen!.changes = [
    change(1, 6.2, STOPPED, { status: 'disabled' }),
    change(2, 8.3, AFTER, { status: 'enabled', interval: AFTER.interval }),
  ];
  return world.evidence;
}

function version(change: number, second: number, is: Content): VersionSeen {
  return { change, at: at(second), writtenBy: at(second) + 2, is };
}

function change(number: number, second: number, is: Content, fields: Partial<Content>): ChangeSeen {
  const [askedAt, endedAt] = [at(second) - 1, at(second) + 2];
  const told = { at: at(second), is };
  return { number, askedAt, endedAt, fields, told, isDeleted: false };
}

function refused(refusedWith: number, match?: number): ChangeSeen {
  const asked = change(3, 18, AFTER, { status: 'disabled' });
  return { ...asked, told: null, refusedWith, ...(match !== undefined && { match }) };
}

/** Of two changes that name one version the first is made. */
export function racedWorld(): Evidence {
  const world = changedWorld();
  changesOf(world)[0]!.match = 1;
  changesOf(world).push(refused(412, 1));
  return world;
}

/** The store stands still as a time of 10 s is claimed. A change drops it, and the time of 15 s that has come behind it. */
export function stalledWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('changed', BEFORE.interval);
  world.fired('changed', 5, [5, 10, 200]);
  world.fired('changed', 16, [16, 10, 200]);
  world.fired('changed', 20, [20, 10, 200]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.stalls = [{ from: at(9.5), to: at(15.4) }];
  const [seen] = evidence.schedules;
  seen!.versions = [version(0, 1.5, BEFORE), version(1, 15.5, AFTER)];
  seen!.changes = [change(1, 15.5, AFTER, { interval: AFTER.interval })];
  return evidence;
}

/** As `TAMPERED`, of `stalledWorld`. */
export const TAMPERED_STALLED: TamperedEvidence[] = [
  [
    'a time is skipped behind one that was never sent',
    ['skippedWithoutRun'],
    w => passed(w, 'changed', 15, 'skipped'),
  ],
];

/**
 * Times of 11 s and 12 s pass while the service is down. The latest waits for a manual run, a time of 13 s is skipped behind it, and
 * a deletion at 13.2 s drops what waits.
 */
export function waitedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('changed', EACH_SECOND.interval);
  for (let second = 2; second <= 10; second++) world.fired('changed', second, [second, 10, 200]);
  world.passed('changed', 11, 'missed');
  world.passed('changed', 13, 'skipped');
  const manual = world.fired('changed', 10.1, [12.6, 900, 200]);
  manual.trigger = 'manual';
  const { evidence } = world;
  evidence.triggered.push(manual.id);
  const [seen] = evidence.schedules;
  const deleted = { ...EACH_SECOND, status: 'deleted' };
  seen!.versions = [version(0, 1.5, EACH_SECOND), version(1, 13.2, deleted)];
  seen!.changes = [{ ...change(1, 13.2, deleted, { status: 'deleted' }), isDeleted: true }];
  return evidence;
}

/** As `TAMPERED`, of `waitedWorld`. */
export const TAMPERED_WAITED: TamperedEvidence[] = [
  [
    'the latest time is lost behind a manual run, and no change drops it',
    ['latestMissed', 'unrecorded'],
    w => {
      w.schedules[0]!.versions!.pop();
      changesOf(w).pop();
      for (let second = 14; second <= 20; second++) passed(w, 'changed', second, 'skipped');
      const [manual] = w.runs.filter(({ trigger }) => trigger === 'manual');
      manual!.finishedAt = iso(20);
      manual!.attempts[0]!.durationMs = 7_400;
      w.arrivals.at(-1)!.endedAt = at(20) - 1;
    },
  ],
  [
    'the latest of the times that a change drops is missed',
    ['latestMissed'],
    w => passed(w, 'changed', 12, 'missed'),
  ],
];

/** As `TAMPERED`, of `changedWorld`. */
export const TAMPERED_CHANGES: TamperedEvidence[] = [
  [
    'a change that was answered is not there',
    ['changeLost'],
    w => {
      changesOf(w)[0]!.told!.is = AFTER;
    },
  ],
  [
    'a schedule was changed, and nobody had asked',
    ['changeUnasked'],
    w => {
      changesOf(w).pop();
    },
  ],
  [
    'a deletion that was answered is not there',
    ['changeLost'],
    w => {
      changesOf(w).push({
        ...change(3, 18, AFTER, { status: 'deleted' }),
        told: null,
        isDeleted: true,
      });
    },
  ],
  [
    'a change names a version that another change had ended',
    ['overwritten'],
    w => {
      changesOf(w)[1]!.match = 1;
    },
  ],
  [
    'a deletion names a version that another deletion had ended',
    ['overwritten'],
    w => {
      const deletion = change(3, 20.5, AFTER, { status: 'deleted' });
      const deleted = { ...deletion, told: null, isDeleted: true };
      changesOf(w).push(deleted, { ...deleted, number: 4, match: 3 });
      w.schedules[0]!.versions!.push(version(3, 20.5, { ...AFTER, status: 'deleted' }));
    },
  ],
  [
    'a change is refused, and its version was there',
    ['changeRefused'],
    w => {
      changesOf(w).push(refused(412, 3));
    },
  ],
  [
    'a change of a schedule that is not deleted is refused',
    ['changeRefused'],
    w => {
      changesOf(w).push(refused(400));
    },
  ],
  [
    'a request starts after its schedule was stopped',
    ['firedStopped', 'answerDiffers', 'late'],
    w => {
      const [attempt] = w.runs.find(({ scheduledFor }) => scheduledFor === iso(5))!.attempts;
      attempt!.startedAt = iso(7);
    },
  ],
  [
    'a time of the old interval is recorded after the change',
    ['notDue'],
    w => {
      const when = { scheduledFor: iso(15), startedAt: iso(15), finishedAt: iso(15.01) };
      w.runs.push({ ...w.runs[0]!, ...when, id: 'another', attempts: [] });
    },
  ],
  [
    'a time of the new interval has no record',
    ['unrecorded', 'arrivalUnrecorded'],
    w => drop(w, 16),
  ],
  [
    'a time that nothing was in the way of is dropped by a later change',
    ['unrecorded'],
    w => {
      drop(w, 5);
      w.arrivals = w.arrivals.filter(({ scheduledFor }) => scheduledFor !== at(5));
    },
  ],
];

/** What a caller was told of an instant, and when; the first three are right. */
const EXPLAINED: [second: number, asked: number, verdict: string][] = [
  [16, 18, 'succeeded'],
  [16, 15, 'upcoming'],
  [10, 9, 'paused'],
  [16, 18, 'running'],
  [5, 5.8, 'failed'],
  [16, 15, 'neverDue'],
  [17, 15, 'upcoming'],
  [12, 14.5, 'missed'],
];

for (const [second, asked, verdict] of EXPLAINED.slice(3)) {
  TAMPERED_CHANGES.push([
    `at ${asked} s a caller is told of ${second} s: ${verdict}`,
    ['explainDiffers'],
    w => {
      w.explained.push(explained(second, asked, verdict));
    },
  ]);
}

export function explainedWorld(): Evidence {
  const world = changedWorld();
  world.explained = EXPLAINED.slice(0, 3).map(each => explained(...each));
  return world;
}

function explained(second: number, asked: number, verdict: string) {
  const [askedAt, answeredAt] = [at(asked), at(asked) + 2];
  return { scheduleId: 'changed', at: at(second), askedAt, answeredAt, verdict };
}

/** The change comes 50 ms after a time, which is dropped. */
export function droppedWorld(): Evidence {
  const world = changedWorld();
  drop(world, 5);
  world.arrivals = world.arrivals.filter(({ scheduledFor }) => scheduledFor !== at(5));
  const [, stopped] = world.schedules[0]!.versions!;
  const [asked] = changesOf(world);
  Object.assign(stopped!, { at: at(5.05), writtenBy: at(5.052) });
  Object.assign(asked!, { askedAt: at(5.049), endedAt: at(5.052) });
  asked!.told!.at = at(5.05);
  return world;
}

function changesOf({ schedules }: Evidence): ChangeSeen[] {
  return schedules[0]!.changes!;
}

function drop(world: Evidence, second: number): void {
  world.runs = world.runs.filter(({ scheduledFor }) => scheduledFor !== iso(second));
}
