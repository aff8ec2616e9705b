import type { Evidence } from '../../sim/model/evidence.ts';
import type { LineSeen, SendSeen, WrittenSeen } from '../../sim/model/wire-evidence.ts';
import { cleanWorld } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

const ORIGIN = 'https://target.example';

/** A process has written two requests on one connection. The second one waited for the first. */
export function wiredWorld(): Evidence {
  const line: LineSeen = {
    ...{ node: 'n1', origin: ORIGIN, address: '23.1.0.7', isAllowed: true },
    ...{ openedMs: 1_000, connectedMs: 1_001, closedMs: 5_100, requests: 2 },
  };
  const sends = [sent('r1/1', 1_000, 1_002, line), sent('r2/1', 1_050, 1_050, line)];
  const wire = {
    ...{ connectionsPerOrigin: 1, keepAliveMs: 4_000, longestMs: 30_051 },
    ...{ untilMs: { n1: 60_000 }, sends, lines: [line] },
  };
  return { ...cleanWorld(), wire };
}

function sent(name: string, permitMs: number, atMs: number, line: LineSeen): SendSeen {
  const endedMs = permitMs + 50;
  const answer = { status: 200, body: 'done', atMs: endedMs };
  const before = permitMs === 1_000 ? 0 : 1;
  return {
    ...{ node: 'n1', name, scheduleId: 'fast', origin: ORIGIN, method: 'POST', waited: null },
    ...{ timeoutMs: 30_000, askedMs: 1_000, permitMs, hasDeparted: true, cancelledMs: null },
    ...{ endedMs, outcome: 'response', status: 200, body: 'done' },
    written: [{ line, before, atMs, isSigned: true, answeredBytes: 40, hasHead: true, answer }],
  };
}

const send = (world: Evidence, index = 1): SendSeen => world.wire!.sends[index]!;
const written = (world: Evidence): WrittenSeen => send(world).written[0]!;

export const TAMPERED_WIRE: TamperedEvidence[] = [
  [
    'a request is written, and its permit was taken back',
    ['sentUnpermitted'],
    w => Object.assign(send(w), { cancelledMs: 1_000 }),
  ],
  [
    'a request takes its permit, and waits on',
    ['permitEarly'],
    w => Object.assign(send(w), { hasDeparted: false }),
  ],
  [
    'a signature does not verify',
    ['unsigned'],
    w => Object.assign(written(w), { isSigned: false }),
  ],
  [
    'a POST is written twice',
    ['writtenTwice'],
    w => {
      const first = { ...written(w), answeredBytes: 0, hasHead: false, answer: null };
      send(w).written = [first, written(w)];
    },
  ],
  [
    'a PUT is written again after bytes of an answer',
    ['writtenTwice'],
    w => {
      send(w).method = 'PUT';
      send(w).written = [{ ...written(w), answer: null }, written(w)];
    },
  ],
  [
    'a request goes on after its time limit',
    ['pastLimit'],
    w => Object.assign(send(w, 0), { timeoutMs: 10, permitMs: 980 }),
  ],
  [
    'a request times out too soon',
    ['pastLimit', 'leftOpen'],
    w => {
      Object.assign(send(w), { outcome: 'timeout', status: null, body: null });
      written(w).answer = null;
    },
  ],
  [
    'the result is the answer to another request',
    ['answerOther'],
    w => Object.assign(send(w), { body: 'done before' }),
  ],
  [
    'an answer that came in time is passed over',
    ['answerOther', 'leftOpen'],
    w => Object.assign(send(w), { outcome: 'connectionError', status: null, body: null }),
  ],
  [
    'two requests are under way where one may be',
    ['crowded'],
    w => Object.assign(send(w, 0), { endedMs: 1_060 }),
  ],
  [
    'a connection is kept for too long',
    ['leftOpen'],
    w => Object.assign(w.wire!.lines[0]!, { closedMs: 5_200 }),
  ],
  [
    'a connection that nobody uses stays open',
    ['leftOpen'],
    w => {
      w.wire!.lines.push({ ...w.wire!.lines[0]!, closedMs: null, requests: 0 });
    },
  ],
  [
    'a private address is called',
    ['privateDialled'],
    w => Object.assign(w.wire!.lines[0]!, { isAllowed: false }),
  ],
];
