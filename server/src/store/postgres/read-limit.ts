import type { Query } from './connection.ts';

/**
 * The same questions, few at once: what looks through a million rows takes a connection for a while, and
 * what fires must never wait for one. Those that come when all are taken wait here, in their order.
 */
export function limitReads(query: Query, most: number): Query {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (statement, values) => {
    if (free > 0) free -= 1;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
      return await query(statement, values);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
