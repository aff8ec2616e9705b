/** What callers were told of figures. */

/** Times by what became of them. */
export interface Tallied {
  succeeded: number;
  failed: number;
  skipped: number;
  missed: number;
}

/** Figures as a caller was told them. Instants are epoch ms. */
export interface CountedSeen {
  askedAt: number;
  answeredAt: number;
  figures:
    | {
        kind: 'stats';
        from: number;
        to: number;
        total: Tallied;
        minutes: (Tallied & { at: number })[];
      }
    | {
        kind: 'history';
        scheduleId: string;
        from: number;
        to: number;
        stepMs: number;
        steps: (Tallied & { at: number })[];
      }
    | {
        kind: 'forecast';
        from: number;
        stepMs: number;
        /** Of firings to come, a step each. */
        counts: number[];
        firings: number;
        /** When the schedules were counted. */
        countedAt: number;
      };
}

/** A record of a skipped time that went again: the run that it came behind was never sent. Instants are epoch ms. */
export interface TakenBackSeen {
  scheduleId: string;
  /** The nominal time. */
  at: number;
  decidedAt: number;
  takenAt: number;
}
