import type { Rule } from '../../../sim/model/rules/rule.ts';
import type { Patch } from '../crash/mutate.ts';

/** Bugs of clients, of their suspensions, deletions and secrets, and of crowds, which the simulator must find. */

export interface ClientBug {
  name: string;
  /** One of these must be said of it, whatever else. */
  rules: (Rule | 'broke')[];
  patches: Patch[];
  /** That are on in the worlds that find it. */
  faults: string[];
}

export const SUSPENSION_BUGS: ClientBug[] = [
  bug(
    'what is claimed of a suspended client is not put off',
    ['firedSuspended'],
    [
      'engine/services/suspensions.ts',
      "this.#clientRowIds.has(claim.clientRowId) || secretOf(claim) === ''",
      "secretOf(claim) === ''",
    ],
  ),
  bug(
    'a suspension is heard of at the start only',
    ['firedSuspended'],
    [
      'engine/services/suspensions.ts',
      'const resumed = await this.#ask();',
      'const resumed: number[] = [];',
    ],
  ),
  bug(
    'manual runs and callbacks of a suspended client go on',
    ['firedSuspended'],
    [
      'engine/delivery/outbox.ts',
      'await suspensions.siftEntries(rest);',
      'suspensions && { free: rest, putOff: [] };',
    ],
  ),
  bug(
    'at a resume the time that waited fires',
    ['suspendedUntold', 'recordedTwice', 'arrivalUnrecorded'],
    [
      'domain/run/suspension.ts',
      "if (row.state === 'waiting') return { row: waitingRow(schedule, nextFor), passed };",
      "if (row.state === 'waiting') return { row: back, passed };",
    ],
  ),
  bug(
    'times that pass during a suspension have no record',
    ['unrecorded'],
    [
      'domain/run/suspension.ts',
      "...passedRecords(schedule, Math.max(from, suspendedAt), now, 'missed', reason),",
      '',
    ],
  ),
  bug(
    'a suspension is told as downtime',
    ['suspendedUntold'],
    [
      'domain/run/suspension.ts',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
      'const reason = `It passed while ${SUSPENDED}',
      'const reason = `It passed while Punctual was not running',
    ],
  ),
  bug(
    'what waited before a suspension is told as within it',
    ['suspendedUntold'],
    [
      'domain/run/suspension.ts',
      "suspendedAt - 1, 'missed', before)",
      "suspendedAt - 1, 'missed', reason)",
    ],
  ),
  {
    ...bug(
      'a suspension ends before what came due in it is put off',
      ['suspendedUntold'],
      [
        'store/sqlite/suspensions.ts',
        'WHERE client_key = ?1 AND resumed_at IS NOT NULL AND NOT EXISTS (',
        'WHERE client_key = ?1 AND resumed_at IS NOT NULL OR EXISTS (',
      ],
    ),
    // Nobody looked from when it came due to the resume.
    faults: ['clients', 'kill'],
  },
  {
    ...bug(
      'a suspension ends before what a start has claimed is put off',
      ['suspendedUntold'],
      ['store/sqlite/suspensions.ts', 'abs(claimed_at - ?2) <= ', 'abs(claimed_at - ?2) < -'],
    ),
    faults: ['clients', 'absence'],
  },
  bug(
    'manual runs and callbacks that were put off do not come back',
    ['unfinished', 'callbackUnfinished'],
    [
      'store/sqlite/suspensions.ts',
      'const count = Number(entriesBack.run(now, clientRowId).changes);',
      'const count = Number(entriesBack.run(now, -clientRowId).changes);',
    ],
  ),
  bug(
    'a suspended client may call',
    ['letIn'],
    [
      'store/rows/keys.ts',
      '(clients.suspended_at IS NULL OR clients.resumed_at IS NOT NULL)',
      '(clients.suspended_at IS NULL OR clients.deleted_at IS NULL)',
    ],
  ),
];

/** Of deletions and secrets. */
export const CLIENT_BUGS: ClientBug[] = [
  bug(
    'a deleted client keeps its keys',
    ['clientLeft'],
    ['store/sqlite/clients.ts', 'revokeKeys.run(now, key);', ''],
  ),
  bug(
    'a deleted client keeps its secret',
    ['clientLeft'],
    [
      'store/sqlite/clients.ts',
      "signing_secret = '', old_secret = NULL, old_secret_until = NULL\n    WHERE id = :id RETURNING",
      'old_secret_until = NULL\n    WHERE id = :id RETURNING',
    ],
  ),
  bug(
    'callbacks of a deleted client wait for ever',
    ['clientLeft', 'callbackUnfinished'],
    ['store/sqlite/clients.ts', 'endCallbacks.run(key);', ''],
    [
      'engine/services/suspensions.ts',
      "if ('kind' in claim) return isOfDeleted(claim);",
      "if ('kind' in claim) return claim.kind === 'manual' && isOfDeleted(claim);",
    ],
  ),
  bug(
    'the schedules of a deleted client stay',
    ['clientLeft', 'changeLost'],
    [
      'cli/delete-client.ts',
      'if (schedules.length === 0) return count;',
      'if (schedules.length >= 0) return count;',
    ],
  ),
  bug(
    'requests that wait for their instant are not signed anew',
    ['signedOtherwise'],
    [
      'engine/engine.ts',
      'rotated(clientRowId: number): void {\n    this.#callBackClient(clientRowId);',
      'rotated(clientRowId: number): void {\n    if (clientRowId < 0) this.#callBackClient(clientRowId);',
    ],
  ),
  bug(
    'an overlap that a client ends goes on for what was claimed',
    ['signedOtherwise'],
    [
      'api/routes/secret.ts',
      'engine.rotated(clientRowId);\n      return secretAnswer((await',
      'void [engine, clientRowId];\n      return secretAnswer((await',
    ],
  ),
  bug(
    'callbacks are signed with the new secret alone',
    ['signedOtherwise'],
    [
      'engine/delivery/job.ts',
      'attempt, nowMs, secrets: claim, timeoutMs }',
      'attempt, nowMs, secrets: { signingSecret: claim.signingSecret }, timeoutMs }',
    ],
  ),
  bug(
    'the old secret signs after its overlap',
    ['signedOtherwise'],
    [
      'domain/access/rotation.ts',
      'old !== undefined && now < old.until',
      'old !== undefined && now < old.until + 500',
    ],
  ),
  bug(
    'a second rotation drops the secret that is in use',
    ['signedOtherwise'],
    [
      'store/sqlite/clients.ts',
      'WHEN old_secret_until > :rotatedAt THEN old_secret',
      'WHEN old_secret_until > :rotatedAt THEN signing_secret',
    ],
  ),
  bug(
    'a secret signs with its text',
    ['signedOtherwise'],
    [
      'outbound/signature.ts',
      "return Buffer.from(secret.slice(PREFIX.length), 'base64');",
      'return Buffer.from(secret.slice(PREFIX.length));',
    ],
  ),
];

/** Of crowds: hundreds of firings of one client at one instant. */
export const CROWD_BUGS: ClientBug[] = [
  crowdBug(
    'a host that hangs takes all slots of its client',
    ['late'],
    [
      'engine/fairness/concurrency.ts',
      '} else if (host.inFlight[kind] >= this.#mostPerHost(kind)) return null;',
      '}',
    ],
  ),
  crowdBug(
    'a host that is full keeps the others of its client waiting',
    ['late'],
    [
      'engine/fairness/fair-queue.ts',
      'if (!acquire(item)) continue;',
      'if (!acquire(item)) return null;',
    ],
  ),
];

function crowdBug(...parameters: Parameters<typeof bug>): ClientBug {
  return { ...bug(...parameters), faults: ['crowd'] };
}

function bug(
  name: string,
  rules: ClientBug['rules'],
  ...changes: [file: string, find: string, replace: string][]
): ClientBug {
  const patches = changes.map(([file, find, replace]) => ({ file, find, replace }));
  return { name, rules, patches, faults: ['clients'] };
}
