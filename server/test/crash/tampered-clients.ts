import { createHmac } from 'node:crypto';
import type { Evidence } from '../../sim/model/evidence.ts';
import type { SignedSeen } from '../../sim/model/evidence-of-clients.ts';
import { at, iso, runByHand, Synthetic } from './synthetic.ts';
import type { TamperedEvidence } from './tampered-evidence.ts';

const [FIRST, SECOND] = ['whsec_Zmlyc3Q=', 'whsec_c2Vjb25k'];

/**
 * Two clients. One is suspended from 6 s to 17 s: its times of 10 s and 15 s are missed. Its secret is rotated at 18 s, and the old
 * one signs until 60 s. The other one was deleted at 3 s.
 */
export function worldOfClients(): Evidence {
  const world = new Synthetic();
  world.schedule('mine', '*/5 * * * * *');
  world.fired('mine', 5, [5, 10, 200]);
  for (const second of [10, 15])
    world.passed('mine', second, 'missed').reason =
      `It passed while the client was suspended, from ${iso(6)} to ${iso(18)}.`;
  world.fired('mine', 20, [20, 10, 200]);
  const { evidence } = world;
  evidence.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }];
  evidence.schedules[0]!.client = 'one';
  const suspension = { from: at(6), by: at(6), until: at(17), backBy: at(17) };
  const nothing = { deletion: null, suspensions: [], calls: [], left: [] };
  const old = { secret: FIRST, until: at(60) };
  const call = (second: number, status: number) => {
    return { askedAt: at(second), endedAt: at(second + 0.01), status };
  };
  evidence.clients = [
    {
      ...nothing,
      id: 'one',
      suspensions: [suspension],
      secrets: [
        { from: at(0), by: at(0), current: FIRST, old: null },
        { from: at(18), by: at(18.1), current: SECOND, old },
      ],
      calls: [call(2, 200), call(12, 401), call(19, 200)],
    },
    { ...nothing, id: 'two', secrets: [], deletion: { from: at(3), by: at(6) } },
  ];
  const [first, last] = evidence.arrivals;
  evidence.signed = [signed(first!, FIRST), signed(last!, SECOND, FIRST)];
  return evidence;
}

/**
 * Two nodes share the store, and a client is suspended from 6 s to 17 s. Nothing of it is put off: the times of 10 s and 15 s are decided
 * about when a claim has been taken back, and say nothing of the suspension.
 *
 * @param claims from when to when, in s, and whether the answer was lost
 */
export function worldOfLostClaims(
  ...claims: [from: number, to: number, isLost: boolean][]
): Evidence {
  const world = new Synthetic();
  world.schedule('mine', '*/5 * * * * *');
  world.fired('mine', 5, [5, 10, 200]);
  for (const second of [10, 15]) world.passed('mine', second, 'missed');
  world.fired('mine', 20, [20.4, 10, 200]);
  world.fired('mine', 25, [25, 10, 200]);
  const { evidence } = world;
  evidence.schedules[0]!.client = 'one';
  const suspension = { from: at(6), by: at(6), until: at(17), backBy: at(17) };
  const nothing = { deletion: null, secrets: [], calls: [], left: [] };
  evidence.clients = [{ ...nothing, id: 'one', suspensions: [suspension] }];
  const life = { spawnedAt: at(0), readyAt: at(1), end: null };
  evidence.lives = ['n1', 'n2'].map(node => ({ ...life, node }));
  for (const arrival of evidence.arrivals) arrival.node = 'n2';
  const held = (from: number, to: number, isTakenBack = false) => {
    const scheduleId = 'mine';
    return { scheduleId, node: 'n2', from: at(from), renewedAt: at(from), to: at(to), isTakenBack };
  };
  const taken = claims.map(([from, to]) => ({ ...held(from, to, true), node: 'n1' }));
  const lost = claims.filter(([, , isLost]) => isLost);
  evidence.shared = {
    leaseMs: 10_000,
    lostAnswers: lost.map(([from]) => ({ at: at(from), scheduleIds: ['mine'] })),
    holds: [held(4.1, 5.02), ...taken, held(20.31, 20.42), held(24.1, 25.02)],
  };
  return evidence;
}

/**
 * A client that is deleted at 16 s. A callback of it has failed, and nobody could send its retry: the service was killed at 8 s, and
 * listened again at 18 s.
 */
export function worldOfDropped(): Evidence {
  const world = new Synthetic();
  world.schedule('mine', '5 * * * * *', true);
  const [callback] = world.fired('mine', 5, [5, 10, 200]).callbacks!;
  const { evidence } = world;
  callback!.status = 'failed';
  callback!.attempts[0]!.responseStatus = 503;
  evidence.callbackArrivals[0]!.status = 503;
  evidence.lives = [
    { spawnedAt: at(0), readyAt: at(1), end: { how: 'killed', from: at(8), to: at(8) } },
    { spawnedAt: at(17), readyAt: at(18), end: null },
  ];
  evidence.schedules[0]!.client = 'mine';
  const deletion = { from: at(16), by: at(19) };
  evidence.clients = [
    { id: 'mine', suspensions: [], secrets: [], deletion, calls: [], left: [] },
    { id: 'other', suspensions: [], secrets: [], deletion: null, calls: [], left: [] },
  ];
  return evidence;
}

function signed(
  { scheduleId, webhookId: id, at }: Evidence['arrivals'][number],
  ...secrets: string[]
): SignedSeen {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.{}`).digest('base64')}`;
  });
  const signed = { id, timestamp, signatures: signatures.join(' '), body: '{}' };
  return { scheduleId, at, sentAt: at, ...signed };
}

/** As `TAMPERED`, of `worldOfClients`. */
export const TAMPERED_CLIENTS: TamperedEvidence[] = [
  ['a request of a suspended client starts', ['firedSuspended'], runByHand],
  [
    'a time that passes while its client is suspended says something else',
    ['suspendedUntold'],
    w => {
      w.runs[2]!.reason = 'It passed while Punctual was not running.';
    },
  ],
  [
    'a time says that its client was suspended long before',
    ['suspendedUntold'],
    w => {
      w.clients![0]!.suspensions[0]!.from = at(12);
      w.clients![0]!.suspensions[0]!.by = at(12);
    },
  ],
  ['a suspended client may call', ['letIn'], w => (w.clients![0]!.calls[1]!.status = 200)],
  [
    'a client that is not suspended may not',
    ['letIn'],
    w => (w.clients![0]!.calls[0]!.status = 401),
  ],
  ['a deleted client leaves keys behind', ['clientLeft'], w => w.clients![1]!.left.push('keys')],
  [
    'a request is signed with the secret before',
    ['signedOtherwise'],
    w => (w.signed![1] = signed(w.arrivals[1]!, FIRST)),
  ],
  [
    'the old secret signs no more within its overlap',
    ['signedOtherwise'],
    w => (w.signed![1] = signed(w.arrivals[1]!, SECOND)),
  ],
  [
    'the old secret signs after its overlap',
    ['signedOtherwise'],
    w => (w.clients![0]!.secrets[1]!.old!.until = at(19)),
  ],
  [
    'a request is signed long before it is sent',
    ['signedOtherwise'],
    w => {
      const early = signed({ ...w.arrivals[0]!, at: at(1) }, FIRST);
      w.signed![0] = { ...early, at: at(5), sentAt: at(5) };
    },
  ],
];

/** As `TAMPERED`, of `worldOfDropped`. */
export const TAMPERED_DROPPED: TamperedEvidence[] = [
  [
    'a callback is not tried again before its client is deleted',
    ['retryLost'],
    w => (w.lives = [{ spawnedAt: at(0), readyAt: at(1), end: null }]),
  ],
  [
    'a callback is not tried again although its client is there',
    ['retryLost'],
    w => (w.clients![0]!.deletion = null),
  ],
];
