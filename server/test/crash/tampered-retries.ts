import type { Evidence } from '../../sim/model/evidence.ts';
import { at, iso, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

/** The target of a run of 5 s fails, and is asked again a second later. */
export function retriedWorld(): Evidence {
  const world = new Synthetic();
  world.schedule('tried', '*/5 * * * * *');
  world.fired('tried', 5, [5, 10, 500], [6.1, 10, 200]);
  world.fired('tried', 10, [10, 10, 200]);
  world.fired('tried', 15, [15, 10, 200]);
  world.fired('tried', 20, [20, 10, 200]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.schedules[0]!.policy = { retryDelaysSeconds: [1] };
  return evidence;
}

/** The answers of that target break off behind their status, and no retry has come. */
export function brokenWorld(status: number): Evidence {
  const world = new Synthetic();
  world.schedule('tried', '*/5 * * * * *');
  for (const second of [5, 10, 15, 20]) world.fired('tried', second, [second, 10, status]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.schedules[0]!.policy = { retryDelaysSeconds: [1] };
  for (const { attempts } of evidence.runs) attempts[0]!.outcome = 'connectionError';
  for (const arrival of evidence.arrivals) arrival.status = null;
  return evidence;
}

/** The machine was suspended as a manual run ended that had failed, from 7.51 to 10.5 s. @param second of its retry, after `delay` */
export function asleepByHand(delay: number, second: number): Evidence {
  const world = new Synthetic();
  world.schedule('tried', '*/5 * * * * *');
  world.fired('tried', 5, [5, 10, 200]);
  world.fired('tried', 10, [10.5, 10, 200]);
  for (const each of [15, 20]) world.fired('tried', each, [each, 10, 200]);
  const manual = world.fired('tried', 7.5, [7.5, 10, 503], [second, 10, 200]);
  manual.trigger = 'manual';
  const { evidence } = world;
  evidence.triggered.push(manual.id);
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.suspensions = [{ from: at(7.51), to: at(10.5) }];
  evidence.schedules[0]!.policy = { retryDelaysSeconds: [delay] };
  return evidence;
}

/** As `TAMPERED`, of `retriedWorld`. */
export const TAMPERED_RETRIES: TamperedEvidence[] = [
  [
    'a 404 is tried again whose answer broke off',
    ['retryUnasked'],
    w => {
      Object.assign(w.runs[0]!.attempts[0]!, { outcome: 'connectionError', responseStatus: 404 });
      w.arrivals[0]!.status = null;
    },
  ],
  [
    'a retry waits until after the next time',
    ['retryAtNext'],
    w => {
      w.schedules[0]!.policy = { retryDelaysSeconds: [6] };
      w.runs[0]!.attempts[1]!.startedAt = iso(11.1);
      w.runs[0]!.finishedAt = iso(11.11);
      Object.assign(w.arrivals[1]!, { at: at(11.101), endedAt: at(11.109) });
    },
  ],
  [
    'a retry that was kept waiting comes after the next time',
    ['retryAtNext', 'late'],
    w => {
      w.runs[0]!.attempts[1]!.startedAt = iso(11.5);
      w.runs[0]!.finishedAt = iso(11.51);
      Object.assign(w.arrivals[1]!, { at: at(11.501), endedAt: at(11.509) });
    },
  ],
];
