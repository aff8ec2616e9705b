/**
 * A pause of the installation, or a suspension of a client: when it was asked for, and when it was done, and the same of its end.
 * Epoch ms, Infinity where it has not come.
 */
export interface HaltSeen {
  from: number;
  by: number;
  until: number;
  backBy: number;
}
