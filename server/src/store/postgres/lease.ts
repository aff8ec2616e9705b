/**
 * The node that claims, and for how long. Its rows in flight are its own until the lease ends by the database's
 * clock. So no two nodes have to agree on the time. After that any node may recover it; the attempt number and
 * `claimed_by` keep the late one from changing anything.
 */
export interface Lease {
  /** UUID. */
  node: string;
  leaseMs: number;
}

/**
 * A lease that ends later than a new one could was taken before the database's clock was set back. It is cut to
 * a lease from now, and a node that is alive renews it in time.
 *
 * @param inFlight the condition of the index that holds the leases
 * @returns a statement; $1 is how long a lease is, ms
 */
export function cutLeasesOf(table: string, inFlight: string): string {
  return `
    UPDATE ${table} SET lease_until = clock_timestamp() + $1 * interval '1 millisecond'
    WHERE ${inFlight}
      AND lease_until > clock_timestamp() + 2 * $1 * interval '1 millisecond'`;
}
