import type { Pause } from '../../domain/run/unseen.ts';

/** The settings of all nodes on a store. */
export interface InstallationStore {
  /** Since when nothing shall fire, epoch ms; null: it shall. */
  pausedSince(): Promise<number | null>;
  /** From `now` on nothing shall fire. @returns since when, where that was said before */
  pause(now: number): Promise<number>;
  /** From `now` on everything fires again. @returns false where it was not paused */
  resume(now: number): Promise<boolean>;
  /** Remembers a pause that has ended, as `resume` does. */
  notePause(pause: Pause): Promise<void>;
  /** The latest pauses that have ended, `PAUSES_KEPT` at most, in order. */
  pauses(): Promise<Pause[]>;
  /** The clock by which history was last pruned, epoch ms; null: it never was. */
  believedClock(): Promise<number | null>;
  /** History is pruned by a clock that shows this. */
  noteBelievedClock(at: number): Promise<void>;
  /**
   * An engine starts. From here on the store says beside itself what it has kept, once a second at most.
   *
   * @returns the writes that it has lost since the engine before; null where none are known
   */
  beginKeeping(now: number): Promise<Loss | null>;
  /** The latest writes that it has lost, as far as is known, noted or not; null: none. */
  lastLoss(): Promise<Loss | null>;
  /** A secret of the installation, encrypted at rest; null where there is none. */
  findSecret(name: InstallationSecret): Promise<string | null>;
  /**
   * Writes a secret, if it is still the one that the writer has read.
   *
   * @param was null: there was none
   * @returns false where it is another by now; nothing is written
   */
  replaceSecret(name: InstallationSecret, was: string | null, secret: string): Promise<boolean>;
}

/** Acknowledged writes that are gone, epoch ms. */
export interface Loss {
  /** How far the store goes; null: to nothing. */
  since: number | null;
  until: number;
}

/** The secrets of an installation, by name: `issuer` signs tokens, `completion` signs the urls of completions. */
export const INSTALLATION_SECRETS = ['issuer', 'completion'] as const;
export type InstallationSecret = (typeof INSTALLATION_SECRETS)[number];

/** Of the pauses that have ended: each is a reason for times of long ago that are decided about only now. */
export const PAUSES_KEPT = 100;

/** The name under which `noteBelievedClock` keeps it. */
export const BELIEVED_CLOCK = 'believed clock';

/** A pause that has ended is kept under its start, so that names sort by it; its value is its end. */
const DIGITS = 15;

export function nameOfPause(since: number): string {
  return `pause ${String(since).padStart(DIGITS, '0')}`;
}

export function pauseOf({ name, value }: { name: string; value: string }): Pause {
  return { since: Number(name.slice(-DIGITS)), until: Number(value) };
}
