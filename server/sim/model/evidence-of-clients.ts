import type { HaltSeen } from './evidence-of-halts.ts';

/** What is known of a client in a world that has several. Instants are epoch ms, Infinity where it has not come. */
export interface ClientSeen {
  id: string;
  suspensions: HaltSeen[];
  deletion: { from: number; by: number } | null;
  /** In their order. */
  secrets: SecretsSeen[];
  calls: CallSeen[];
  /** What the store has of it at the end, where it was deleted: in words. */
  left: string[];
}

/** The secrets that sign from some instant between `from` and `by` on. */
export interface SecretsSeen {
  from: number;
  by: number;
  /** A command made them, and told no engine. */
  isByCommand?: true;
  current: string;
  /** The one before; it signs until its end. */
  old: { secret: string; until: number } | null;
}

/** A call with the client's key that was answered. */
export interface CallSeen {
  askedAt: number;
  endedAt: number;
  status: number;
}

/** What a request or a callback was signed with, as its target saw it. */
export interface SignedSeen {
  scheduleId: string;
  at: number;
  /** The same by the clock of its sender. */
  sentAt: number;
  id: string;
  timestamp: string;
  signatures: string;
  body: string;
}
