/**
 * Slices of work that takes more than a moment: one in each turn of the event loop, of all requests
 * together. Were each request to give way by itself, a hundred of them would each have a slice in every
 * turn, and what is due would wait for all of these. Clients have their slices one after the other.
 */
const waiting = new Map<number, (() => void)[]>();
let isScheduled = false;

/** Resolves when the caller may do the next slice of its work, some milliseconds at most. */
export function nextSlice(clientRowId: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ofClient = waiting.get(clientRowId);
  if (ofClient === undefined) waiting.set(clientRowId, [resolve]);
  else ofClient.push(resolve);
  schedule();
  return promise;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    const [clientRowId, resolvers] = waiting.entries().next().value!;
    waiting.delete(clientRowId);
    const [first, ...rest] = resolvers;
    if (rest.length > 0) waiting.set(clientRowId, rest);
    if (waiting.size > 0) schedule();
    first!();
  });
}
