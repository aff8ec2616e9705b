import type { Content, Evidence } from '../../sim/model/evidence.ts';
import { at, iso, passed, runOf, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

const BEFORE: Content = {
  url: 'https://target.example/ok',
  interval: '*/5 * * * * *',
  timezone: 'UTC',
  status: 'enabled',
};
const EACH_SECOND = { ...BEFORE, interval: '* * * * * *' };

/** A target asks for a further run with its answer to the run of 5 s, and for a pause of 3 s with that to the run of 10 s. */
export function steeredWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('steered', BEFORE.interval);
  world.fired('steered', 5, [5, 10, 200]);
  world.fired('steered', 7.01, [7.01, 10, 200]).trigger = 'target';
  world.fired('steered', 10, [10, 10, 200]);
  world.fired('steered', 15, [15, 10, 200]);
  world.fired('steered', 20, [20, 10, 200]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  const first = { change: 0, at: at(1.5), writtenBy: at(1.5), is: BEFORE };
  const is = { ...BEFORE, pausedUntil: at(13.01) };
  const written = { change: 0, at: at(10.01), writtenBy: at(10.03), is, isByTarget: true as const };
  evidence.schedules[0]!.versions = [first, written];
  ask(evidence, 0, { againSeconds: 2 });
  ask(evidence, 2, { pauseSeconds: 3 });
  return evidence;
}

/** @param place of the run, whose request is at the same place */
function ask({ runs, arrivals }: Evidence, place: number, asked: object): void {
  runs[place]!.attempts[0]!.control = asked;
  arrivals[place]!.asked = asked;
}

function askNothing({ runs, arrivals }: Evidence, place: number): void {
  delete runs[place]!.attempts[0]!.control;
  delete arrivals[place]!.asked;
}

/** As `TAMPERED`, of `steeredWorld`. */
export const TAMPERED_STEERED: TamperedEvidence[] = [
  [
    'what a target asked for is not shown',
    ['controlDiffers'],
    w => {
      delete w.runs[0]!.attempts[0]!.control;
    },
  ],
  [
    'a pause that a target asked for was not made',
    ['steeredLost'],
    w => {
      w.schedules[0]!.versions!.pop();
    },
  ],
  ['a schedule pauses, and no target asked', ['steeredUnasked'], w => askNothing(w, 2)],
  [
    'a further run does not come',
    ['furtherLost'],
    w => {
      w.runs.splice(1, 1);
      w.arrivals.splice(1, 1);
    },
  ],
  ['a further run comes, and no target asked', ['furtherUnasked'], w => askNothing(w, 0)],
  [
    'a further run is sent that a newer one replaced',
    ['furtherUnasked'],
    w => {
      ask(w, 0, { againSeconds: 7 });
      Object.assign(w.runs[1]!, { scheduledFor: iso(12.01), startedAt: iso(12.01) });
      Object.assign(w.runs[1]!, { finishedAt: iso(12.02) });
      w.runs[1]!.attempts[0]!.startedAt = iso(12.01);
      Object.assign(w.arrivals[1]!, {
        scheduledFor: at(12.01),
        at: at(12.011),
        endedAt: at(12.019),
      });
    },
  ],
];

/** Times of 11 s and 12 s pass while the service is down. The run of 10 s was cut off and goes first; its target disables the schedule. */
export function stoppedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('stopped', EACH_SECOND.interval);
  for (let second = 2; second <= 9; second++) world.fired('stopped', second, [second, 10, 200]);
  const failed = world.fired('stopped', 10, [10, 410, null], [12.3, 400, 503]);
  world.passed('stopped', 11, 'missed');
  world.passed('stopped', 12, 'skipped').reason = 'The run before it disabled the schedule.';
  const { evidence } = world;
  failed.attempts[1]!.control = { disable: true };
  evidence.arrivals.at(-1)!.asked = { disable: true };
  const first = { change: 0, at: at(1.5), writtenBy: at(1.5), is: EACH_SECOND };
  const is = { ...EACH_SECOND, status: 'disabled' };
  const written = { change: 0, at: at(12.7), writtenBy: at(12.72), is, isByTarget: true as const };
  evidence.schedules[0]!.versions = [first, written];
  return evidence;
}

/** As `TAMPERED`, of `stoppedWorld`. */
export const TAMPERED_STOPPED: TamperedEvidence[] = [
  [
    'the latest time before a run that disables its schedule is missed',
    ['latestMissed'],
    w => passed(w, 'stopped', 12, 'missed'),
  ],
  [
    'the latest time is skipped, and does not say that its schedule was disabled',
    ['latestMissed'],
    w => passed(w, 'stopped', 12, 'skipped'),
  ],
  [
    'the latest time is skipped, and says that its schedule was paused',
    ['latestMissed'],
    w => {
      runOf(w, 'stopped', 12).reason = `The run before it paused the schedule until ${iso(15)}.`;
    },
  ],
  [
    'the latest time is skipped, and a caller disabled its schedule',
    ['latestMissed', 'changeUnasked'],
    w => {
      delete w.schedules[0]!.versions![1]!.isByTarget;
    },
  ],
  [
    'the latest time is skipped, and its schedule was disabled after the run before it had ended',
    ['latestMissed'],
    w => {
      w.schedules[0]!.versions![1]!.at = at(12.701);
    },
  ],
];
