import type { ScheduleInput } from '@punctual/client';
import { Random } from './random.ts';

/** A crowd: hundreds of schedules of one client, due at one instant, and one of another client that is due then as well. */

/** Fewer slots than a service has by default: so few requests fill them. */
export const CROWDED = { maxInFlight: 200, maxInFlightPerHost: 40 };
/** By then all of it has come. */
export const CROWD_MS = 12_000;
const DUE_AFTER_MS = 7_000;

export function crowdOf(seed: number): number {
  return new Random(seed, 'crowd size').whole(300, 1_000);
}

/** A third of the crowd calls a host that never answers, a third one that is away. @param startedAt of the world */
export function crowdBodies(count: number, startedAt: number): ScheduleInput[] {
  return Array.from({ length: count }, (_, index) => {
    const host = ['hang', 'dead', 'ok'][index % 3]!;
    const policy = { maxRetries: 0, timeoutSeconds: 2 };
    return { ...besideCrowd(startedAt), url: `https://crowd-${host}.example/${host}`, policy };
  });
}

/** What another client has due then. */
export function besideCrowd(startedAt: number): ScheduleInput {
  const at = new Date(Math.ceil((startedAt + DUE_AFTER_MS) / 1_000) * 1_000);
  const interval = `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
  return { url: 'https://beside.example/ok', verb: 'POST', interval, timezone: 'UTC' };
}
