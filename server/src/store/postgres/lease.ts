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

/**
 * A lease that ends later than any could that is taken now was taken before the database's clock was set back:
 * it is cut to one from now, which a node that is alive renews in time.
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
