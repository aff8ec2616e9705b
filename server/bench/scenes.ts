import { api } from './scenes/api.ts';
import { backup } from './scenes/backup.ts';
import { both } from './scenes/both.ts';
import { burst } from './scenes/burst.ts';
import { destination } from './scenes/destination.ts';
import { fairness } from './scenes/fairness.ts';
import { firstBurst } from './scenes/first-burst.ts';
import { growth } from './scenes/growth.ts';
import { million } from './scenes/million.ts';
import { minute } from './scenes/minute.ts';
import { misbehaving } from './scenes/misbehaving.ts';
import { neighbours } from './scenes/neighbours.ts';
import { pages } from './scenes/pages.ts';
import { postgres } from './scenes/postgres.ts';
import { restart } from './scenes/restart.ts';
import { slowHost } from './scenes/slow-host.ts';
import { steady } from './scenes/steady.ts';
import { timing } from './scenes/timing.ts';
import type { Scene } from './session.ts';

/** All scenes, in the order in which they are reported. */
export const SCENES: Scene[] = [
  burst,
  firstBurst,
  steady,
  million,
  minute,
  growth,
  timing,
  destination,
  api,
  both,
  neighbours,
  fairness,
  slowHost,
  misbehaving,
  postgres,
  pages,
  restart,
  backup,
];
