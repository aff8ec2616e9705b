import { Client, DatabaseError } from 'pg';

/** How long one server is given to say whether it is the primary. */
const ASK_MS = 2_000;

/**
 * The servers that a url names, each as a url of its own: libpq's form of several hosts,
 * `postgres://user@one:5432,two:5432/name?target_session_attrs=read-write`. The one that takes writes
 * is looked for among them, so `read-write` and `primary` are what it may say.
 *
 * @throws where the url is none; what is thrown may repeat it, with its password
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS
 */
export function serversOf(url: string): string[] {
  const [, before, hosts, after] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (before === undefined) throw new Error('not a url of PostgreSQL');
  const servers = hosts!.split(',').map(host => withoutTarget(before + host + after));
  // The driver itself would look at them only when it connects.
  for (const server of servers) new Client({ connectionString: server });
  return servers;
}

/** @returns the first of them that takes writes, or null */
export async function primaryOf(servers: string[]): Promise<string | null> {
  const answers = servers.map(takesWrites);
  for (const [index, answer] of answers.entries()) if (await answer) return servers[index]!;
  return null;
}

/** Whether a PostgreSQL says anything there, even that it refuses, within 2 s. */
export async function answers(server: string): Promise<boolean> {
  const client = new Client({ connectionString: server, connectionTimeoutMillis: ASK_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    return error instanceof DatabaseError;
  } finally {
    void client.end().catch(() => {});
  }
}

async function takesWrites(server: string): Promise<boolean> {
  const client = new Client({
    connectionString: server,
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SELECT current_setting('transaction_read_only') AS value");
    return rows[0].value === 'off';
  } catch {
    return false;
  } finally {
    void client.end().catch(() => {});
  }
}

function withoutTarget(server: string): string {
  const url = new URL(server);
  const target = url.searchParams.get('target_session_attrs');
  if (target !== null && target !== 'read-write' && target !== 'primary') {
    throw new Error('target_session_attrs must be read-write or primary');
  }
  url.searchParams.delete('target_session_attrs');
  return target === null ? server : url.href;
}
