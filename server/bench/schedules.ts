import { Pool } from 'undici';
import { CREDENTIALS } from './punctual.ts';

/** Schedules to be made: `count` of them, whose arrivals are counted under `group`. */
export interface Wanted {
  count: number;
  /** A letter. */
  group: string;
  interval: (index: number) => string;
  url: (index: number) => string;
  /** The number of the first. */
  first?: number;
  credentials?: typeof CREDENTIALS;
  /** Further fields of each, as JSON without its braces. */
  fields?: string;
}

const BATCH = 1_000;
/** Batches under way at once: one is read while another is written. */
const AT_ONCE = 4;

/**
 * Makes schedules over the batch route.
 *
 * @param told after each batch: how many there are
 * @returns how many a second
 */
export async function createSchedules(
  base: string,
  wanted: Wanted,
  told: (made: number) => void = () => {},
): Promise<number> {
  const { count, first = 0, credentials = CREDENTIALS } = wanted;
  const pool = new Pool(base, { connections: AT_ONCE });
  const headers = { ...credentials, 'content-type': 'application/json' };
  const startedAt = performance.now();
  let next = 0;
  let made = 0;
  const work = async () => {
    while (next < count) {
      const size = Math.min(BATCH, count - next);
      const body = bodyOf(wanted, first + next, size);
      next += size;
      const answer = await pool.request({
        method: 'POST',
        path: '/v1/schedule/batch',
        headers,
        body,
      });
      if (answer.statusCode !== 200) throw new Error(await answer.body.text());
      await answer.body.dump({ limit: 1 << 26 });
      made += size;
      told(made);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return count / seconds;
}

/** Put together as text: the harness shares the processors with what it measures. */
function bodyOf({ interval, url, group, fields }: Wanted, first: number, size: number): string {
  const further = fields ? `,${fields}` : '';
  const items = Array.from({ length: size }, (_, at) => {
    const index = first + at;
    return (
      `{"url":"${url(index)}?s=${group}${index}","verb":"GET",` +
      `"interval":"${interval(index)}","timezone":"UTC","label":"bench ${index}"${further}}`
    );
  });
  return `{"items":[${items.join(',')}]}`;
}

/** At rest: it fires once a year. */
export const AT_REST = '0 0 1 1 *';

/** Every minute, spread over its seconds. */
export function everyMinute(index: number): string {
  return `${index % 60} * * * * *`;
}

/** Every ten seconds, spread over them. */
export function everyTenSeconds(index: number): string {
  const second = index % 10;
  return `${[0, 10, 20, 30, 40, 50].map(tens => tens + second).join(',')} * * * * *`;
}
