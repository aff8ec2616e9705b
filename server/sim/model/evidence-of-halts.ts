/** A pause of the installation: when it was asked for, and when it was done, and the same of its end. Epoch ms, Infinity: not yet. */
export interface PauseSeen {
  from: number;
  by: number;
  until: number;
  backBy: number;
}
