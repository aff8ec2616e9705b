import { Cron } from 'croner';
import { bePeer, EVERY_MINUTE } from './peer.ts';

/** Timers in memory: nothing is kept, and nothing survives the process. */
await bePeer(async ({ schedules }, call) => {
  for (let schedule = 0; schedule < schedules; schedule += 1) {
    new Cron(EVERY_MINUTE, { timezone: 'UTC' }, () => call(schedule));
  }
});
