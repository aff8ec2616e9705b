/**
 * What was seen of the requests of senders, and of their connections. Spans and instants are ms of the monotonic clock, which
 * rests while the machine is suspended.
 */
export interface WireSeen {
  connectionsPerOrigin: number;
  keepAliveMs: number;
  /** A connection that is not used by then is not needed. */
  longestMs: number;
  /** When each process died; of those that live: the end. */
  untilMs: Record<string, number>;
  sends: SendSeen[];
  lines: LineSeen[];
}

/** One request that a sender was asked for. */
export interface SendSeen {
  /** The process that sent it. */
  node: string;
  /** For sentences: what it is, and its attempt. */
  name: string;
  scheduleId: string;
  /** When it waited for others of its host, epoch ms; null: it did not. */
  waited: { from: number; to: number } | null;
  origin: string;
  method: string;
  timeoutMs: number;
  /** When the sender was asked for it. */
  askedMs: number;
  /** When its permit was taken; null: it never was. */
  permitMs: number | null;
  /** At that instant its name was looked up, or a connection was opened to its origin, or it was written. */
  hasDeparted: boolean;
  /** When its permit was taken back, before it was written or after; null: it never was. */
  cancelledMs: number | null;
  /** When its result came; null: it had none when the world, or its process, ended. */
  endedMs: number | null;
  outcome: string | null;
  /** As the result has them. */
  status: number | null;
  body: string | null;
  /** Each time that it was written. */
  written: WrittenSeen[];
}

/** One time that a request was written, whole. */
export interface WrittenSeen {
  line: LineSeen;
  /** How many requests its connection had carried before. */
  before: number;
  atMs: number;
  isSigned: boolean;
  /** Bytes of the answer that the process had read, of an interim one too. */
  answeredBytes: number;
  /** Its status and headers had come, whether the rest did or not. */
  hasHead: boolean;
  /** The status and body of the answer, once all of it had come; null: it did not come whole. */
  answer: { status: number; body: string; atMs: number } | null;
}

/** One connection that a sender opened. */
export interface LineSeen {
  node: string;
  origin: string;
  address: string;
  /** The address may be called. */
  isAllowed: boolean;
  openedMs: number;
  connectedMs: number | null;
  /** When the process closed its end; null: it did not. */
  closedMs: number | null;
  /** How many requests it carried. */
  requests: number;
}
