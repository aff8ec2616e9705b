import { createHmac } from 'node:crypto';
import type { ClientSeen, SecretsSeen, SignedSeen } from '../evidence-of-clients.ts';
import { AHEAD_MS } from './cuts.ts';
import { isPutOff } from './full-hosts.ts';
import type { Tell } from './rule.ts';
import { withGrace } from './times.ts';
import { iso, type ScheduleView, type View } from './view.ts';

/** A request leaves so long before it arrives, ms, by clocks that tell whole ms. */
const ON_ITS_WAY_MS = 2;
/** It may have been made a second ahead, and its timestamp is of a whole second. */
const OLDEST_MS = 2_000;

/** Requests and callbacks are signed with the secrets that are valid as they start, and with no other (docs/signatures.md). */
export function checkSignatures(
  clients: ClientSeen[],
  signed: SignedSeen[],
  view: View,
  tell: Tell,
): void {
  const byId = new Map(clients.map(client => [client.id, client]));
  const schedules = new Map(view.schedules.map(schedule => [schedule.seen.id, schedule]));
  for (const request of signed) {
    const schedule = schedules.get(request.scheduleId);
    const client = byId.get(schedule?.seen.client ?? '');
    if (client === undefined) continue;
    const claimedAt = claimOf(request, schedule!, view);
    if (isRight(request, client.secrets, claimedAt, view)) continue;
    const { id, at, timestamp } = request;
    const when = `came at ${iso(at)} with the timestamp ${timestamp}`;
    tell(
      'signedOtherwise',
      `The request ${id} ${when}, and its signatures are not as they must be.`,
    );
  }
}

/** Since when it may have been claimed: a command changes no secret of what waits for a full host. */
function claimOf({ id, at }: SignedSeen, schedule: ScheduleView, view: View): number {
  const waits = isPutOff(at, schedule, view);
  return Math.min(at - ON_ITS_WAY_MS, waits ? (view.byId.get(id)?.at ?? at) : at);
}

function isRight(
  request: SignedSeen,
  secrets: SecretsSeen[],
  claimedAt: number,
  view: View,
): boolean {
  const { at, sentAt, signatures } = request;
  const { apartMs } = view;
  const ageMs = sentAt - signedAtOf(request);
  const waitedMs = waitedMsOf(request, view);
  if (!(ageMs >= -apartMs && ageMs <= OLDEST_MS + waitedMs + ON_ITS_WAY_MS + apartMs)) return false;
  const inForce = secrets.filter(({ from }, index) => {
    const endedBy = secrets[index + 1]?.by ?? Infinity;
    return from <= at && signsUntil(endedBy, view) >= claimedAt;
  });
  return inForce.some(({ current, old }) => {
    const one = signatureOf(request, current);
    if (old === null) return signatures === one;
    const maySign = sentAt - ON_ITS_WAY_MS - waitedMs - apartMs < old.until;
    const mustSign = sentAt + apartMs < old.until;
    if (!mustSign && signatures === one) return true;
    return maySign && signatures === `${one} ${signatureOf(request, old.secret)}`;
  });
}

/** Until when a node signs with secrets that others have ended: one that is not told goes on with what it has claimed ahead. */
function signsUntil(endedBy: number, view: View): number {
  return view.isShared ? withGrace(view.heardBy(endedBy + AHEAD_MS), view) : endedBy;
}

/** A request is signed as it is made. Then it waits for a connection; where nodes share the store, for their look at its claim, too. */
function waitedMsOf(request: SignedSeen, view: View): number {
  const { at, sentAt } = request;
  const isHeldUp = view.isShared && view.isAnySlow(signedAtOf(request), at);
  return isHeldUp ? Math.max(view.connectMs, sentAt - signedAtOf(request)) : view.connectMs;
}

function signedAtOf({ timestamp }: SignedSeen): number {
  return Number(timestamp) * 1_000;
}

function signatureOf({ id, timestamp, body }: SignedSeen, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
