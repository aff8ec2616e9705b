/** The coordination of nodes that share a store. */
export interface Cluster {
  /** How long what was claimed is held without `renew`, ms. */
  readonly leaseMs: number;
  /** The store's clock, epoch ms: the one that all nodes share. */
  now(): Promise<number>;
  /** One sentence about what the store cannot promise as it is set up, or null. */
  warning(): Promise<string | null>;
  /**
   * Notes that this node has looked at the clock from `awakeSince` to now.
   *
   * @param blindAfterMs how long nobody must have looked for it to count
   * @returns until when (epoch ms) times may have passed while no node looked
   */
  looked(awakeSince: number, blindAfterMs: number): Promise<number>;
  /**
   * Notes that the engine of this node lives. It counts for three leases, or until `engineStopped`.
   *
   * @returns how many engines live, this one among them
   */
  engineLives(): Promise<number>;
  /** Whether a Punctual of an older level is connected: it reads no encrypted secrets. A pooler may hide it. */
  hasOlderNodes(): Promise<boolean>;
  /** The engine of this node has stopped, and counts no more. */
  engineStopped(): Promise<void>;
  /**
   * Hears what other nodes write, soon after it is durable. A node that cannot hear, or not at the
   * moment, sees all of it by looking, a little later; it tries again by itself.
   */
  listen(listener: NodeListener): Listening;
}

export interface Listening {
  /** Nothing is told from here on. Idempotent. */
  close(): Promise<void>;
}

/** Told what other nodes have written; what the node itself wrote is not told. */
export interface NodeListener {
  /** Rows of the queue were written; the first is due at `dueAt`. */
  wake(dueAt: number): void;
  /** A schedule was changed. */
  changed(scheduleId: string, changedAt: number): void;
  /** A manual run of the schedule waits. */
  wakeOutbox(scheduleId: string): void;
  /** A client signs with other secrets from here on. */
  rotated(clientRowId: number): void;
  /**
   * Whether it hears from here on. Told again and again.
   *
   * @param why one sentence, where it does not
   */
  listening(isListening: boolean, why?: string): void;
}
