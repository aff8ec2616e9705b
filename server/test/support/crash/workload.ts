import type { ScheduleInput } from '@punctual/client';

/** Which schedules a crash test lets fire, and how their targets answer. */

/**
 * The mix of ten: most fire every second and are answered at once; some fail and call back, some
 * call back on success, some hold their request open so that kills and next times find it there,
 * some fire every five seconds, at each of the five offsets, and some need a retry.
 *
 * @param url of the target
 */
export function mixedWorkload(url: string, count: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => mixed(url, index));
}

function mixed(url: string, index: number): ScheduleInput {
  const round = Math.floor(index / 10);
  const zone = ZONES[index % ZONES.length]!;
  switch (index % 10) {
    case 5:
      return every('* * * * * *', `${url}/fail`, zone, callback(url, round, false));
    case 6:
      return every('* * * * * *', `${url}/ok`, zone, callback(url, round, true));
    case 7:
      return every('* * * * * *', `${url}/slow/${300 + (round % 5) * 400}`, zone);
    case 8:
      return every(`${round % 5}-59/5 * * * * *`, `${url}/ok`, zone, callback(url, round, false));
    case 9:
      // A retry comes 5 to 6 s after the attempt, and gives way to the next time.
      return every('*/10 * * * * *', `${url}/flaky`, zone, callback(url, round, true));
    default:
      return every('* * * * * *', `${url}/ok`, zone);
  }
}

export function every(
  interval: string,
  url: string,
  timezone = 'UTC',
  integrations?: ScheduleInput['integrations'],
): ScheduleInput {
  return { url, verb: 'POST', interval, timezone, ...(integrations && { integrations }) };
}

function callback(url: string, round: number, callOnSuccess: boolean) {
  // Of the receivers, every fifth wants a retry and every other fifth is slow.
  const path = ['/ok', '/ok', '/flaky', '/ok', '/slow/300'][round % 5];
  return [{ type: 'WEBHOOK' as const, url: `${url}/callback${path}`, callOnSuccess }];
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
