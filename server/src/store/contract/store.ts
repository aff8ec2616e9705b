/**
 * The store contract: what every backend promises. Each part of it has a file of this folder.
 *
 * - What a resolved promise acknowledges is durable: a power cut does not take it back.
 * - Owners are part of every question: a caller can only reach rows of its own client.
 * - "No row changed" is an answer, not an error.
 * - Instants are epoch ms. Ids are lower-case UUID version 7. Row ids (`clientRowId`,
 *   `scheduleRowId`) are the backend's own numbers of rows, stable while the store is open, and never answered.
 *
 * The suite in `test/store/contract/contract.ts` states each promise as a test; every backend passes it.
 */
import type { BreakerStore } from './breakers.ts';
import type { CalendarStore } from './calendars.ts';
import type { ClientStore } from './clients.ts';
import type { Cluster } from './cluster.ts';
import type { CompletionStore } from './completions.ts';
import type { DataKeyStore } from './data-keys.ts';
import type { DestinationStore } from './destinations.ts';
import type { HealthStore } from './health.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { InstallationStore } from './installation.ts';
import type { KeyStore } from './keys.ts';
import type { OutboxStore, QueueStore } from './queue.ts';
import type { RunStore } from './runs.ts';
import type { ScheduleStore } from './schedules.ts';
import type { SessionStore } from './sessions.ts';
import type { StatsStore } from './stats.ts';
import type { SuspensionStore } from './suspensions.ts';
import type { VersionStore } from './versions.ts';
import type { ZoneRulesStore } from './zone-rules.ts';

export interface Store {
  readonly clients: ClientStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly schedules: ScheduleStore;
  readonly versions: VersionStore;
  readonly runs: RunStore;
  readonly queue: QueueStore;
  readonly outbox: OutboxStore;
  readonly completions: CompletionStore;
  readonly stats: StatsStore;
  readonly health: HealthStore;
  readonly breakers: BreakerStore;
  readonly dataKeys: DataKeyStore;
  readonly installation: InstallationStore;
  readonly suspensions: SuspensionStore;
  readonly calendars: CalendarStore;
  readonly destinations: DestinationStore;
  readonly idempotency: IdempotencyStore;
  readonly zoneRules: ZoneRulesStore;
  /** Null where one process has the store for itself. */
  readonly cluster: Cluster | null;
  /**
   * Resolves when the store answers and can be written to.
   *
   * @param writing whether a write is tried also where none has failed
   * @throws PunctualError `store_unavailable`, `store_unusable`
   */
  check(writing?: boolean): Promise<void>;
  /** How much of the disk it takes. */
  size(): Promise<StoreSize>;
  /** The use of the connections to its server; null if it has no server. */
  pool(): PoolUse | null;
  /** Waits for writes under way. Idempotent. */
  close(): Promise<void>;
}

export interface StoreSize {
  /** Of the database; the log of an embedded one not among them. */
  bytes: number;
  /** Of these: empty, and used again before it grows. Null where it is not known. */
  freeBytes: number | null;
  /** The file system that holds it, where it is this machine's. */
  disk: { bytes: number; freeBytes: number } | null;
}

/** Connections of this process to the server of its store. */
export interface PoolUse {
  /** How many there may be. */
  most: number;
  busy: number;
  idle: number;
  /** Calls that wait for one. */
  waiting: number;
}
