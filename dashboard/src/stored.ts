import type { Schedule } from '@punctual/client';

/** A schedule as it is stored, with the version that its ETag says. */
export interface Stored {
  schedule: Schedule;
  etag?: string;
}

export function etagOf(stored: Stored | undefined): { etag?: string } {
  return stored?.etag === undefined ? {} : { etag: stored.etag };
}
