import { PunctualError } from '../errors.ts';
import { iso } from '../iso.ts';
import { newSigningSecret } from './credential.ts';

/**
 * The rotation of a signing secret. The new secret signs from now on. The old one signs beside it
 * until the overlap ends, so that operators can hand the new one to receivers in the meantime.
 * (Standard Webhooks, "Signature scheme": several signatures, separated by spaces.)
 */

/** How long an overlap lasts, seconds: at most, and where nothing is said. 0: there is none. */
export const MOST_OVERLAP_SECONDS = 30 * 86_400;
export const USUAL_OVERLAP_SECONDS = 86_400;

/** The secret before the present one. */
export interface OldSecret {
  /** `whsec_` and base64. */
  secret: string;
  /** It signs what is signed before this instant, epoch ms. */
  until: number;
}

/** The secrets that sign a client's requests. */
export interface SigningSecrets {
  /** `whsec_` and base64. */
  signingSecret: string;
  oldSecret?: OldSecret;
}

export interface Rotation {
  signingSecret: string;
  rotatedAt: number;
  /** Until when the old one signs too; `rotatedAt`: no more. */
  oldUntil: number;
  /** Within an overlap: the secret made last goes, and the old one stays. Else that is refused. */
  replacesNew: boolean;
}

/** @throws PunctualError `request_invalid` where the overlap is out of bounds */
export function newRotation(
  now: number,
  overlapSeconds = USUAL_OVERLAP_SECONDS,
  replacesNew = false,
): Rotation {
  const isFine = Number.isInteger(overlapSeconds) && overlapSeconds >= 0;
  if (!isFine || overlapSeconds > MOST_OVERLAP_SECONDS) {
    throw new PunctualError(
      'request_invalid',
      `The overlap is a whole number of seconds from 0 to ${MOST_OVERLAP_SECONDS}.`,
    );
  }
  const signingSecret = newSigningSecret();
  return { signingSecret, rotatedAt: now, oldUntil: now + overlapSeconds * 1_000, replacesNew };
}

/** The old secret, as long as it signs. */
export function signingStill(old: OldSecret | undefined, now: number): OldSecret | undefined {
  return old !== undefined && now < old.until ? old : undefined;
}

/** A third secret would put an end to one of two that are in use: which one is to be said. */
export function overlapRuns(until: number | undefined, ways: string): PunctualError {
  const when = until === undefined ? '' : ` until ${iso(until)}`;
  return new PunctualError(
    'request_invalid',
    `The secret was rotated before, and the old one signs too${when}: wait, ${ways}.`,
  );
}
