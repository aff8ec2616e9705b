/**
 * Who claims, and for how long: what a node has in flight is its own until the lease ends, by the
 * database's clock, so that no two nodes have to agree on the time. After that any node may recover
 * it; the attempt number and `claimed_by` keep the late one from changing anything.
 */
export interface Lease {
  /** UUID. */
  node: string;
  leaseMs: number;
}
