import type { ChangeSeen, Content } from '../../../sim/model/evidence.ts';
import type { StepEvidence } from '../../../sim/model/steps/checker.ts';
import { at, cleanWorld, miss, send, type TamperedEvidence } from './tampered-evidence.ts';

const BEFORE: Content = {
  url: 'https://target.example/ok',
  interval: '* * * * * *',
  timezone: 'UTC',
  status: 'enabled',
};
const STOPPED = { ...BEFORE, status: 'disabled' };
const AFTER = { ...BEFORE, interval: '*/2 * * * * *' };

/** The schedule of the clean world is disabled at 40.2 s, and fires every two seconds from 45.2 s on. */
export function changedWorld(): StepEvidence {
  const world = cleanWorld();
  const isDue = (time: number) => time <= at(40) || (time >= at(46) && (time / 1_000) % 2 === 0);
  world.arrivals = world.arrivals.filter(({ scheduledFor }) => isDue(scheduledFor));
  world.runs = world.runs.filter(({ scheduledFor }) => isDue(Date.parse(scheduledFor)));
  const [schedule] = world.schedules;
  schedule!.versions = [BEFORE, STOPPED, AFTER].map((is, change) => {
    return { change, at: 0, writtenBy: 0, is };
  });
  schedule!.changes = [change(1, 40.2, STOPPED), change(2, 45.2, AFTER)];
  return world;
}

/** The time of 58 s came by a clock that was ahead, and no connection was taken. Its target is another one from 51.2 s on. */
export function refusedWorld(url = 'https://target.example/dead'): StepEvidence {
  const world = changedWorld();
  world.steps.push({ at: at(47), offsetMs: 11_000 }, { at: at(49), offsetMs: 0 });
  const [schedule] = world.schedules;
  schedule!.versions![2]!.is = { ...AFTER, url };
  schedule!.versions!.push({ change: 3, at: 0, writtenBy: 0, is: AFTER });
  schedule!.changes!.push(change(3, 51.2, AFTER));
  world.arrivals = world.arrivals.filter(({ scheduledFor }) => scheduledFor !== at(58));
  const [attempt] = world.runs.find(({ id }) => id === 'run-58')!.attempts;
  Object.assign(attempt!, { outcome: 'connectionError', responseStatus: undefined });
  return world;
}

/** The target of the time of 52 s answers 202, and asks for more time: beyond that of 56 s, which is skipped. */
export function extendedWorld(): StepEvidence {
  const world = changedWorld();
  world.schedules[0]!.policy = { completion: { deadlineSeconds: 1 } };
  world.arrivals.find(({ scheduledFor }) => scheduledFor === at(52))!.status = 202;
  for (const second of [54, 56]) miss(world, second);
  const said = { runId: 'run-52', attempt: 1, code: 200, tries: 1 };
  const [asked, ended] = [at(52.5), at(57.5)];
  world.said = [
    { ...said, status: null, extendSeconds: 7, askedAt: asked, endedAt: asked },
    { ...said, status: 'succeeded', extendSeconds: null, askedAt: ended, endedAt: ended },
  ];
  return world;
}

function change(number: number, second: number, is: Content): ChangeSeen {
  const during = { from: at(second), to: at(second) + 2 };
  const when = { askedAt: during.from, endedAt: during.to, during };
  return { number, ...when, fields: is, told: { at: 0, is }, isDeleted: false };
}

export const TAMPERED_CHANGES: TamperedEvidence[] = [
  [
    'a change that was answered is not there',
    ['changeLost'],
    w => {
      w.schedules[0]!.changes!.push(change(3, 59, AFTER));
    },
  ],
  ['a time of the old interval is sent', ['notDue'], w => send(w, 47, at(47) + 4)],
  [
    'a request starts after its schedule was stopped',
    ['firedStopped', 'notDue'],
    w => send(w, 43, at(43) + 4),
  ],
  [
    'a time of the new interval is never sent, and has no record',
    ['silent', 'unrecorded'],
    w => {
      w.arrivals = w.arrivals.filter(({ scheduledFor }) => scheduledFor !== at(58));
      w.runs = w.runs.filter(({ id }) => id !== 'run-58');
    },
  ],
];
