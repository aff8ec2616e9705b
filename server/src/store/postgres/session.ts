import type { ClientBase } from 'pg';

/** How long one statement may take; the server ends it. */
export const STATEMENT_MS = 10_000;

/**
 * Statements are planned once, for any values: to plan each call costs more than its work. So a plan must suit
 * a table however much it grows. It looks up rows by their keys, and does not read a whole table because that
 * was small when the plan was made.
 */
const SETTINGS = {
  statement_timeout: `${STATEMENT_MS}ms`,
  idle_in_transaction_session_timeout: `${STATEMENT_MS}ms`,
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  jit: 'off',
  // Creates write the texts of schedules themselves: no trigger need do it (0006-texts.sql).
  'punctual.writes_texts': 'on',
};

/** Behind a pooler that may give each transaction another session. */
const pooled = new WeakSet<ClientBase>();

/**
 * Settings are sent and not part of the connection's start: a pooler refuses those that it does not
 * know.
 */
export async function prepareSession(client: ClientBase): Promise<void> {
  if (await isBehindPooler(client)) pooled.add(client);
  else await client.query(settings('SESSION'));
}

/**
 * Begins a transaction in which the settings hold. Behind a pooler that is the only place for them:
 * what is set for a session stays with one that others use next.
 */
export async function begin(client: ClientBase): Promise<void> {
  await client.query(isPooled(client) ? `BEGIN; ${settings('LOCAL')}` : 'BEGIN');
}

/** Whether what is prepared or set may be gone with the next transaction. */
export function isPooled(client: ClientBase): boolean {
  return pooled.has(client);
}

/**
 * PostgreSQL names the process that serves a connection when it begins; a pooler names none that
 * serves it later. One that keeps sessions looks the same, and is treated with the same care.
 */
export async function isBehindPooler(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return rows[0].pid !== (client as unknown as { processID: number | null }).processID;
}

/** Acknowledged writes are durable, whatever the database's default says. */
function settings(scope: 'SESSION' | 'LOCAL'): string {
  const sets = Object.entries(SETTINGS).map(([name, value]) => `SET ${scope} ${name} = '${value}'`);
  return `${sets.join('; ')};
    SELECT set_config('synchronous_commit', 'on', ${scope === 'LOCAL'})
    WHERE current_setting('synchronous_commit') = 'off'`;
}
