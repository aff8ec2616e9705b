import type { Query } from './connection.ts';

/**
 * The same questions, few at once: what looks through a million rows takes a connection for a while, and
 * what fires must never wait for one. Those that come when all are taken wait here, in their order, and
 * go where the server goes silent.
 */
export function limitReads(
  query: Query,
  most: number,
  unlessSilent: <T>(work: Promise<T>) => Promise<T> = work => work,
): Query {
  const waiting: (() => void)[] = [];
  let free = most;

  async function turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    try {
      await unlessSilent(promise);
    } catch (error) {
      const place = waiting.indexOf(resolve);
      if (place === -1) leave();
      else waiting.splice(place, 1);
      throw error;
    }
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return async (statement, values) => {
    if (free > 0) free -= 1;
    else await turn();
    try {
      return await query(statement, values);
    } finally {
      leave();
    }
  };
}
