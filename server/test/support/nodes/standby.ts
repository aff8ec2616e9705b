import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, runOn, startPostgres } from '../store/postgres-server.ts';

const STREAMING = { wal_level: 'replica', max_wal_senders: '4', hot_standby: 'on' };

/** A primary, and a standby that has all that the primary acknowledges. */
export interface Replicated {
  primary: PostgresServer;
  standby: PostgresServer;
  /** Of one database, on the one and on the other. */
  urls: [primary: string, standby: string];
  /** As a machine that is gone; its standby takes over when `meanwhile` has resolved. */
  failOver(meanwhile: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicated(): Promise<Replicated> {
  const primary = await startPostgres({ flags: STREAMING });
  const url = await primary.createDatabase();
  await primary.halt();
  const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres password=password`;
  const settings = `primary_conninfo = '${conninfo} application_name=standby'
    wal_retrieve_retry_interval = '500ms'`;
  const standby = await startPostgres({
    flags: STREAMING,
    copyOf: { folder: primary.folder, settings },
  });
  await primary.start();
  await waitFor(() => runOn(url, 'SELECT 1'));
  await runOn(url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await runOn(url, 'SELECT pg_reload_conf()');
  // A write is acknowledged from here on when both have it.
  await waitFor(() => runOn(url, 'CREATE TABLE IF NOT EXISTS both_have_it ()'));
  const standbyUrl = url.replace(`:${primary.port}/`, `:${standby.port}/`);
  return {
    primary,
    standby,
    urls: [url, standbyUrl],
    async failOver(meanwhile) {
      primary.kill();
      await meanwhile();
      await runOn(standbyUrl, 'SELECT pg_promote()');
    },
    async stop() {
      await standby.stop();
      await primary.stop();
    },
  };
}

/** One url of several servers, for nodes that look for the one that takes writes. */
export function urlOfAll([first, ...others]: [string, ...string[]]): string {
  const hosts = [first, ...others].map(url => new URL(url).host).join(',');
  return `${first.replace(/@[^/]+/, `@${hosts}`)}?target_session_attrs=read-write`;
}

/** Tries again until it comes right, for a minute: a busy machine takes its time. */
export async function waitFor(attempt: () => Promise<unknown>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await sleep(100);
    }
  }
}
