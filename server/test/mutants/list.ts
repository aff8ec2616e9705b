/**
 * Mutants of the claim and the settlement on PostgreSQL, of what goes with them, and of the outbox's:
 * each takes one part of a guarantee away.
 */
export interface Mutant {
  name: string;
  /** Of server/src. */
  file: string;
  /** Stands in the file once; `find` is the first after it. */
  within: string;
  find: string;
  replace: string;
}

type InPlace = (name: string, find: string, replace?: string) => Mutant;

function inPlace(file: string, within: string): InPlace {
  return (name, find, replace = '') => ({ name, file, within, find, replace });
}

/** A statement keeps its parameters: one without a use would fail as a whole, and show nothing. */
const noInstant = (ms: string) => `CASE WHEN ${ms}::bigint < 0 THEN clock_timestamp() END`;
const nobody = (node: string) => `nullif(${node}::uuid, ${node}::uuid)`;

const QUEUE = 'store/postgres/queue.ts';
const COMPLETIONS = 'store/postgres/completions.ts';
const CLAIM_RULE = 'store/claim-rule.ts';
const OUTBOX = 'store/postgres/outbox.ts';
const SETTLE_OUTBOX = 'store/postgres/settle-outbox.ts';
const SERVICE_CHANGE = 'store/postgres/service-change.ts';
const FIREABLE = 'store/postgres/fireable-schedules.ts';
const SCHEDULES = 'store/postgres/schedules.ts';
const RUNS = 'store/postgres/runs.ts';
const SETTLE = 'store/postgres/settle.ts';
const CHANGES = 'store/postgres/schedule-changes.ts';
const TABLES = 'store/postgres/migrations/0001-start.sql';

const LEASED = "clock_timestamp() + $2 * interval '1 millisecond'";
const OURS = 'claimed_by = $1';

function fences(part: string, statement: InPlace): Mutant[] {
  return [
    statement(
      `${part}: no fence by the state`,
      "queue.state IS NOT DISTINCT FROM 'inFlight'",
      'true',
    ),
    statement(`${part}: no fence by the node`, `queue.${OURS}`, '$1::uuid IS NOT NULL'),
    statement(`${part}: no fence by the nominal time`, 'queue.scheduled_for = was_for', 'true'),
    statement(`${part}: no fence by the attempt`, 'queue.attempt = was_attempt', 'true'),
    statement(`${part}: no fence by the claim`, '} = was_fence', '} > 0'),
    statement(
      `${part}: no fence by the change`,
      'queue.changed_at IS NOT DISTINCT FROM was_changed_at',
      'true',
    ),
  ];
}

function outboxFences(part: string, statement: InPlace): Mutant[] {
  return [
    statement(
      `${part}: no fence by the state`,
      "outbox.state IS NOT DISTINCT FROM 'inFlight'",
      'true',
    ),
    statement(`${part}: no fence by the node`, `outbox.${OURS}`, '$1::uuid IS NOT NULL'),
    statement(`${part}: no fence by the attempt`, 'outbox.attempt = was_attempt', 'true'),
    statement(`${part}: no fence by the claim`, 'outbox.claimed_at = was_claimed_at', 'true'),
  ];
}

const claim = inPlace(QUEUE, 'const claimOf =');
const rule = inPlace(CLAIM_RULE, 'export function claimRule');
const confirm = inPlace(QUEUE, 'const confirm: Statement');
const moved = inPlace(QUEUE, '), moved AS (');
const removed = inPlace(QUEUE, '), removed AS (');
const renew = inPlace(QUEUE, 'const renew: Statement');
const cutOff = inPlace(QUEUE, 'const cutOff: Statement');
const written = inPlace(RUNS, 'return `given_runs AS (');
const saying = inPlace(COMPLETIONS, 'const mark: Statement');
const spoken = inPlace(COMPLETIONS, 'const ofQueue: Statement');
const due = inPlace(OUTBOX, 'const due: Statement');
const dueOf = inPlace(OUTBOX, 'const dueOf =');
const turn = inPlace(OUTBOX, 'const HAS_ITS_TURN =');
const locked = inPlace(OUTBOX, 'const lockSchedules: Statement');
const block = inPlace(OUTBOX, 'const block: Statement');
const take = inPlace(OUTBOX, 'const take: Statement');
const outboxMoved = inPlace(SETTLE_OUTBOX, '), moved AS (');
const outboxRemoved = inPlace(SETTLE_OUTBOX, '), removed AS (');
const freed = inPlace(SETTLE_OUTBOX, '), freed AS (');
const outboxRenew = inPlace(OUTBOX, 'const renew: Statement');
const outboxCutOff = inPlace(OUTBOX, 'const cutOff: Statement');

const settling = inPlace(QUEUE, 'const touched = round.filter(touchesSchedule)');
const touching = inPlace(QUEUE, 'async function settleTouched(');
const given = inPlace(SERVICE_CHANGE, 'WITH given AS MATERIALIZED (');
const completes = inPlace(SERVICE_CHANGE, '), kept AS (');
const completed = inPlace(SERVICE_CHANGE, '), changed AS (');
const unmarked = inPlace(SERVICE_CHANGE, '), unmarked AS (');
const change = inPlace(CHANGES, '), levelled AS (');
const inserted = inPlace(CHANGES, 'const queueInsert: Statement');
const begun = inPlace(CHANGES, 'const queueMarkBegun: Statement');

export const MUTANTS: Mutant[] = [
  claim('claim: waits for rows that others hold', 'FOR UPDATE SKIP LOCKED', 'FOR UPDATE'),
  claim('claim: locks nothing', 'FOR UPDATE SKIP LOCKED'),
  claim('claim: takes rows in flight', "state <> 'inFlight' AND due_at", 'due_at'),
  claim(
    'claim: takes what is not due',
    'due_at <= $1 + $6::bigint',
    'due_at <= $1 + $6::bigint + 1',
  ),
  claim('claim: takes the latest first', 'ORDER BY due_at, schedule_key', 'ORDER BY due_at DESC'),
  claim(
    'claim: begins no lease',
    "clock_timestamp() + $5 * interval '1 millisecond'",
    noInstant('$5'),
  ),
  claim('claim: does not say whose it is', 'claimed_by = $4', `claimed_by = ${nobody('$4')}`),
  claim(
    'claim: counts no attempt',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    'attempt = attempt + CAST(${RULE.begins} AS integer)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    'attempt = attempt + 0 * CAST(${RULE.begins} AS integer)',
  ),
  rule('claim: begins what was changed', 'queue.changed_at IS NULL AND ', ''),
  rule('claim: begins what a manual run blocks', 'queue.blocked_since IS NULL AND ', ''),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
  rule('claim: begins what passed unseen', 'queue.scheduled_for >= ${unseenUntil}', 'true'),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
  rule('claim: begins what its next time overtakes', 'queue.next_for > ${now} AND ', ''),
  rule('claim ahead: what its next time overtakes', ' AND queue.next_for > queue.due_at', ''),
  rule(
    'claim ahead: what does not begin then',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '${begins} AND ${noManualRun}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '${noManualRun}',
  ),
  rule('claim ahead: beside a manual run that waits', 'LIMIT 1) IS NULL', 'LIMIT 0) IS NULL'),
  confirm(
    'confirm: what is in flight no more',
    "queue.state IS NOT DISTINCT FROM 'inFlight' AND ",
    '',
  ),
  confirm('confirm: what another node holds', 'claimed_by = $3', '$3::uuid IS NOT NULL'),
  confirm('confirm: what was changed', 'changed_at IS NULL', 'true'),
  confirm('confirm: as an older version says', 'version = was', 'was IS NOT NULL'),
  ...fences('settle, row moved', moved),
  ...fences('settle, row removed', removed),
  moved('settle: the change stays marked', 'changed_at = NULL', 'changed_at = queue.changed_at'),
  moved('settle: no new lease for what goes on', LEASED, noInstant('$2')),
  written(
    'settle: runs of an overtaken row are written',
    'WHERE owner NOT IN (SELECT n FROM overtaken)',
  ),
  inPlace(SETTLE, 'return `written_callbacks AS (')(
    'settle: callbacks of an overtaken row are written',
    'WHERE owner NOT IN (SELECT n FROM overtaken)',
  ),
  inPlace(SETTLE, 'export async function settleRounds')(
    'settle: a row twice in one statement',
    'if (round.has(key)) again.push(item);\n      else round.set(key, item);',
    'round.set(key, item);',
  ),
  inPlace(TABLES, 'CREATE TABLE runs (')(
    'runs: no unique key',
    `,
  PRIMARY KEY (client_key, scheduled_for, schedule_key, manual_id, keep)
) PARTITION`,
    '\n) PARTITION',
  ),
  written(
    'runs: not looked for among those kept otherwise',
    'WHERE NOT EXISTS (',
    'WHERE true OR NOT EXISTS (',
  ),
  renew(
    'renew: no lease is renewed',
    "clock_timestamp() + $3 * interval '1 millisecond'",
    `coalesce(lease_until, ${noInstant('$3')})`,
  ),
  renew("renew: other nodes' leases too", 'claimed_by = $2', '$2::uuid IS NOT NULL'),
  renew('renew: rows that are not in flight too', "state IS NOT DISTINCT FROM 'inFlight'", 'true'),
  renew('renew: waits for what is being settled', 'FOR UPDATE SKIP LOCKED', 'FOR UPDATE'),
  inPlace(QUEUE, 'const rows = await query(renew')(
    'renew: says that a changed row is held',
    'row.changed_at === null',
    'true',
  ),
  cutOff('recover: leases that go on', 'lease_until <= statement_timestamp()', 'true'),
  cutOff('recover: by several nodes at once', 'FOR UPDATE SKIP LOCKED'),
  cutOff('recover: waits for other nodes', 'FOR UPDATE SKIP LOCKED', 'FOR UPDATE'),
  inPlace(CHANGES, 'async function apply(')(
    'change: does not lock the row of the queue first',
    'await send(queueLock, [rows.map(row => row.schedule_key as number)]);',
  ),
  inPlace(CHANGES, 'const update: Statement')('change: of another version', ' AND version = was'),
  inPlace(CHANGES, 'const queueMarkBegun: Statement')(
    'change: not marked in the row that has begun',
    "markCell('greatest', 'given.at')",
    "'CASE WHEN given.at < 0 THEN 0 END'",
  ),
  settling(
    'completion: in a transaction of its own',
    'transaction(send => settleTouched(send, values, touched))',
    'settleTouched(query, values, touched)',
  ),
  touching('completion: locks the row of the queue first', 'await lockTouched(send, touched);'),
  touching(
    'completion: of an overtaken row',
    'touched.filter(({ scheduleRowId }) => !overtaken.includes(scheduleRowId))',
    'touched',
  ),
  completes(
    'completion: the state before is not kept',
    'schedule_key = key\n    )',
    'false\n    )',
  ),
  completes('completion: kept at its own instant only', 'greatest(at, (', 'coalesce(at, ('),
  completed('completion: does not say why', 'coalesce(reason, status_reason)', 'status_reason'),
  completed('completion: the version does not move', 'version + 1', 'version'),
  given(
    'completion: updatedAt may stand still',
    'greatest(at, coalesce(updated_at, created_at) + 1)',
    'at',
  ),
  given(
    'completion: of what was disabled meanwhile',
    "schedules.status = 'enabled' AND",
    'true AND',
  ),
  given(
    'completion: beside a run that the target asked for',
    "coalesce(trigger, '') IN ('target', 'begun')",
    'false',
  ),
  completed(
    'change by the service: a pause is not kept',
    " || jsonb_build_object('pausedUntil', paused_until)",
  ),
  unmarked('completion: a deleted one has its tags', "mark LIKE 'tag:%'", 'false'),
  unmarked(
    'completion: a manual run of a deleted one stays put off',
    'least(due_at, (SELECT min(at) FROM deleted))',
    'due_at',
  ),
  unmarked(
    'completion: waits for a manual run that another node takes',
    'FOR UPDATE SKIP LOCKED',
    'FOR UPDATE',
  ),
  claim('level: takes what a newer engine must fire', ' AND needs <= $7'),
  inPlace(FIREABLE, 'export function nextDueAtSql')(
    'level: waits for what a newer engine must fire',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    'needs <= ${level}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '(needs <= ${level} OR needs > 0)',
  ),
  inPlace(SCHEDULES, 'INSERT INTO queue (schedule_key')(
    'level: a new row needs none',
    'first, first, second, needs FROM',
    'first, first, second, 0 FROM',
  ),
  change('level: a change without new times leaves it', 'queue.needs <> changed.needs', 'false'),
  inserted('level: a change of times leaves it', 'needs = excluded.needs', 'needs = old.needs'),
  begun(
    'level: a change during a run leaves it',
    "changedLevel('greatest', 'given.needs')",
    "'queue.needs'",
  ),
  dueOf(
    'outbox, claim: waits for entries that others hold',
    'FOR UPDATE SKIP LOCKED',
    'FOR UPDATE',
  ),
  dueOf('outbox, claim: locks nothing', 'FOR UPDATE SKIP LOCKED'),
  due('outbox, claim: entries in flight too', "state = 'waiting' AND (kind", 'true AND (kind'),
  turn(
    'outbox, claim: a manual run beside its time',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '`${SCHEDULE_IS_FREE}',
    '`true',
  ),
  turn(
    'outbox, claim: a manual run beside another',
    "other.state IN ('inFlight', 'awaiting')",
    'false',
  ),
  turn(
    'outbox, claim: a manual run beside one that awaits',
    "other.state IN ('inFlight', 'awaiting')",
    "other.state = 'inFlight'",
  ),
  due(
    'outbox, claim: one that awaits before it is due',
    `dueOf("state = 'awaiting' AND needs <= $3")`,
    `dueOf("state = 'awaiting' AND needs <= $3").replace('due_at <= $1', '$1::bigint > 0')`,
  ),
  saying(
    'completion: a row in flight is not marked',
    'ELSE greatest($2::bigint, due_at, changed_at + 1)',
    'ELSE changed_at',
  ),
  saying(
    'completion: a row that awaits is not brought forward',
    "state = 'awaiting' THEN $1",
    "state = 'awaiting' THEN due_at",
  ),
  spoken('completion: the row is not locked', 'FOR UPDATE OF queue'),
  turn(
    'outbox, claim: a later manual run first',
    'OR (other.due_at, other.id) < (outbox.due_at, outbox.id)',
  ),
  locked(
    "outbox, claim: waits for another node's manual run",
    'FOR NO KEY UPDATE SKIP LOCKED',
    'FOR NO KEY UPDATE',
  ),
  locked('outbox, claim: does not lock the schedule', 'FOR NO KEY UPDATE SKIP LOCKED'),
  block(
    'outbox, claim: blocks no row of the queue',
    'THEN NULL ELSE $1::bigint END',
    'THEN $1::bigint END',
  ),
  block(
    'outbox, claim: a dropped run blocks its row',
    'THEN NULL ELSE $1::bigint END',
    'THEN $1::bigint ELSE $1::bigint END',
  ),
  block(
    'outbox, claim: a row keeps the later clock of its own claim',
    "takenBefore('$1')",
    "'queue.claimed_at'",
  ),
  block(
    'outbox, claim: blocks a row in flight',
    "state IN ('inFlight', 'lost', 'awaiting') IS NOT TRUE AND NOT EXISTS",
    'NOT EXISTS',
  ),
  take(
    'outbox, claim: other manual runs are not looked at again',
    "other.state IN ('inFlight', 'awaiting')",
    'false',
  ),
  take(
    'outbox, claim: begins no lease',
    "clock_timestamp() + $3 * interval '1 millisecond'",
    noInstant('$3'),
  ),
  take(
    'outbox, claim: does not say whose it is',
    'claimed_by = $2',
    `claimed_by = ${nobody('$2')}`,
  ),
  take('outbox, claim: counts no attempt', 'attempt = attempt + 1', 'attempt = attempt + 0'),
  ...outboxFences('outbox, settle, entry moved', outboxMoved),
  ...outboxFences('outbox, settle, entry removed', outboxRemoved),
  freed('outbox, settle: the row stays blocked', 'blocked_key IS NOT NULL', 'false'),
  freed(
    'outbox, settle: an overtaken one frees the row',
    ' AND n NOT IN (SELECT n FROM overtaken)',
  ),
  outboxRenew(
    'outbox, renew: no lease is renewed',
    "clock_timestamp() + $3 * interval '1 millisecond'",
    `coalesce(lease_until, ${noInstant('$3')})`,
  ),
  outboxRenew("outbox, renew: other nodes' leases too", 'claimed_by = $2', '$2::uuid IS NOT NULL'),
  outboxRenew(
    'outbox, renew: waits for what is being settled',
    'FOR UPDATE SKIP LOCKED',
    'FOR UPDATE',
  ),
  outboxCutOff(
    'outbox, recover: leases that go on',
    'lease_until <= statement_timestamp()',
    'true',
  ),
  outboxCutOff('outbox, recover: by several nodes at once', 'FOR UPDATE OF outbox SKIP LOCKED'),
  inPlace('engine/services/lease-renewer.ts', 'async #step()')(
    'node: renews nothing',
    'await this.#options.renew(clock.now() - leaseMs / LOOKS_PER_LEASE);',
  ),
  inPlace('engine/services/lease-renewer.ts', 'async #step()')(
    'node: recovers nothing',
    'await this.#takeOver(now)',
    'now',
  ),
  inPlace('engine/delivery/renew-claims.ts', 'export async function renewClaims(')(
    'node: sends what it no longer holds',
    '...firings.filter(({ scheduleRowId }) => !keys.has(scheduleRowId)),',
  ),
  inPlace('engine/delivery/renew-claims.ts', 'export async function renewClaims(')(
    'node: sends what it no longer holds of the outbox',
    '...ofOutbox.filter(({ id }) => !keys.has(id)),',
  ),
];
