/** An instant (epoch ms) as people and the wire read it: ISO 8601 in UTC with milliseconds. */
export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
