import type { Query } from './connection.ts';

/** Of the connections of a node, which are 10 unless told otherwise. */
const MOST_LOOKS = 3;

/**
 * The same questions, few at once: what looks through a million rows takes a connection for a while, and
 * what fires must never wait for one. Those that come when all are taken wait here, in their order.
 */
export function looking(query: Query): Query {
  const waiting: (() => void)[] = [];
  let free = MOST_LOOKS;
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
