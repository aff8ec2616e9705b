import type { Evidence } from '../../sim/model/evidence.ts';
import { at, iso, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

/**
 * Targets answer 202. One says after a second that the run of 5 s has succeeded. Of that of 10 s nothing is said before its deadline,
 * and what is said after it is refused.
 */
export function awaitedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('later', '*/5 * * * * *');
  const completed = world.fired('later', 5, [5, 10, 202]);
  completed.attempts[0]!.completion = { until: iso(9.01), endedAt: iso(6) };
  Object.assign(completed, { status: 'succeeded', finishedAt: iso(6) });
  const timedOut = world.fired('later', 10, [10, 10, 202]);
  Object.assign(timedOut.attempts[0]!, waitedUntil(14.01));
  timedOut.finishedAt = iso(14.01);
  world.fired('later', 15, [15, 10, 200]);
  world.fired('later', 20, [20, 10, 200]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.schedules[0]!.policy = { maxRetries: 0, completion: { deadlineSeconds: 4 } };
  const said = { attempt: 1, status: 'succeeded' as const, extendSeconds: null, tries: 1 };
  evidence.said = [
    { ...said, runId: completed.id, askedAt: at(5.99), endedAt: at(6.01), code: 200 },
    { ...said, runId: timedOut.id, askedAt: at(14.5), endedAt: at(14.51), code: 410 },
  ];
  return evidence;
}

/** The machine was suspended for half a second as the answer of the run of 10 s came. @param until when that awaited */
export function asleepWorld(until: number): Evidence {
  const world = awaitedWorld();
  world.suspensions = [{ from: at(10.011), to: at(10.511) }];
  Object.assign(world.runs[1]!.attempts[0]!, waitedUntil(until));
  world.runs[1]!.finishedAt = iso(until);
  Object.assign(world.said![1]!, { askedAt: at(14.6), endedAt: at(14.61) });
  return world;
}

/** The store refused a batch just before the run of 5 s was answered. @param saidAt when its target said how it ended */
export function refusedWorld(saidAt: number): Evidence {
  const world = awaitedWorld();
  world.stalls.push({ from: at(4.4), to: at(5) });
  const [run] = world.runs;
  run!.finishedAt = iso(5.01);
  run!.attempts[0]!.completion!.endedAt = iso(5.01);
  Object.assign(world.said![0]!, { askedAt: at(saidAt), endedAt: at(saidAt + 0.001) });
  return world;
}

function waitedUntil(second: number) {
  const error = `The target has not completed it by ${iso(second)}.`;
  return { outcome: 'timeout', error, completion: { until: iso(second) } };
}

/** As `TAMPERED`, of `awaitedWorld`. */
export const TAMPERED_AWAITED: TamperedEvidence[] = [
  [
    'what a target was told that it has said does not count',
    ['completionLost'],
    w => {
      delete w.runs[0]!.attempts[0]!.completion;
    },
  ],
  [
    'a run ends as nobody has said',
    ['completionUnasked'],
    w => {
      w.said!.shift();
    },
  ],
  [
    'a target is refused before its deadline',
    ['completionRefused'],
    w => Object.assign(w.said![1]!, { askedAt: at(12), endedAt: at(12.01) }),
  ],
  [
    'a deadline passes a second too early',
    ['deadlineWrong'],
    w => {
      Object.assign(w.runs[1]!.attempts[0]!, waitedUntil(13.01));
      w.runs[1]!.finishedAt = iso(13.01);
    },
  ],
  [
    'a manual run is sent while another awaits',
    ['firedAwaiting'],
    w => {
      const [run] = w.runs;
      const attempt = { number: 1, startedAt: iso(5.5), durationMs: 10, responseStatus: 200 };
      w.runs.push({
        ...run!,
        ...{ id: 'by hand', trigger: 'manual', scheduledFor: iso(5.5) },
        ...{ startedAt: iso(5.5), finishedAt: iso(5.51) },
        attempts: [{ ...attempt, outcome: 'response' }],
      });
      w.arrivals.push({
        ...w.arrivals[0]!,
        ...{ webhookId: 'by hand', scheduledFor: at(5.5), status: 200 },
        ...{ at: at(5.501), endedAt: at(5.509) },
      });
    },
  ],
];
