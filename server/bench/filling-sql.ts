import { SEPARATOR } from '../src/store/search-index.ts';
import { ATTEMPTS } from './history.ts';

/** The statements that fill a store, for both databases. */

export interface Sizes {
  schedules: number;
  runs: number;
  /** Schedules whose run waits for its retry. */
  retrying: number;
}

export interface Dialect {
  /** A relation `n (i)` with the numbers from `first` up to and without `end`. */
  numbers(first: number, end: number): string;
  idOf: string;
  /** Beside label and url where the store keeps them, folded. */
  folded: boolean;
  /** Whether triggers write `schedule_texts`. */
  writesTexts: boolean;
  /** Whether `runs` names how long each is kept. */
  keeps: boolean;
  key: string;
  /** Keys that are given, where they are drawn otherwise. */
  given: string;
}

export const SQLITE: Dialect = {
  numbers: (first, end) =>
    `(WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${end})
      SELECT i FROM n) AS n`,
  idOf: 'id_of(i)',
  folded: false,
  writesTexts: false,
  keeps: false,
  key: 'i + 1',
  given: '',
};

export const POSTGRES: Dialect = {
  numbers: (first, end) => `generate_series(${first}::bigint, ${end - 1}::bigint) AS n (i)`,
  idOf: `lpad(to_hex((1767225600000 + i) >> 16), 8, '0') || '-' ||
    lpad(to_hex((1767225600000 + i) & 65535), 4, '0') || '-7000-8000-' || lpad(to_hex(i), 12, '0')`,
  folded: true,
  writesTexts: true,
  keeps: true,
  key: 'i + 1',
  given: 'OVERRIDING SYSTEM VALUE',
};

/** Runs older than the last hour are spread over this number of days. */
export const HISTORY_DAYS = 6;
/** As many as end in an hour of 1,000 a second, of ten million. */
const LAST_HOUR = 0.36;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of one in ten schedules another client is the owner. */
const CLIENT = 'CASE WHEN i % 10 = 9 THEN 2 + (i / 10) % 9 ELSE 1 END';
const CUSTOMER = '(i * 31 % 977)';
const KINDS = [
  'Invoice reminder',
  'Nightly backup',
  'Sync stock',
  'Send report',
  'Refresh token',
  'Close orders',
  'Check health',
];
/** A rare label: one schedule in 50,000 has it. */
export const RARE_LABEL = 'quarterly audit';
const LABEL = `CASE WHEN i % 50000 = 1234 THEN 'Quarterly audit'
  ELSE CASE i % 7 ${KINDS.map((kind, at) => `WHEN ${at} THEN '${kind}'`).join(' ')} END END
  || ' for customer ' || ${CUSTOMER} || ' #' || i`;
const URL = `'https://api-' || (${CUSTOMER} % 400) || '.customer-' || ${CUSTOMER} ||
  '.example/hooks/v1/' || (i % 7) || '?order=' || (i * 7919 % 1000003)`;
const STATUS = `CASE WHEN i % 50 = 7 THEN 'deleted' WHEN i % 25 = 3 THEN 'disabled'
  ELSE 'enabled' END`;
const ATTEMPT = JSON.parse(ATTEMPTS)[0];
const FAILED = JSON.stringify([{ ...ATTEMPT, responseStatus: 503, responseBody: 'out of ink' }]);

/** @param client the id of the one that owns most */
export function filling(dialect: Dialect, sizes: Sizes, now: number, client: string) {
  const { numbers, idOf, folded, keeps, key, given, writesTexts } = dialect;
  const last = sizes.schedules;
  // Once a year, half a year from now: what fires while it is measured is made by the scene.
  const month = ((new Date(now).getUTCMonth() + 6) % 12) + 1;
  const interval = `(${CUSTOMER} % 60) || ' ' || (i % 24) || ' 15 ${month} *'`;
  const made = 1_767_225_600_000;
  return {
    clients: `
      INSERT INTO clients (client_key, id, name, signing_secret, created_at) ${given}
      SELECT i, CASE WHEN i = 1 THEN '${client}' ELSE 'client ' || i END, 'client ' || i,
        'whsec_YmVuY2htYXJrIG9mIHRoZSBwYWdlcw==', ${made} FROM ${numbers(1, 11)}`,
    schedules: (first: number, end: number) => `
      INSERT INTO schedules (schedule_key, client_key, id, status, url, verb, interval, timezone,
        created_at, headers, data, label ${folded ? ', url_folded, label_folded' : ''})
      SELECT key, client, id, status, url, 'POST', interval, 'UTC', ${made} + key,
        '{"Content-Type":"application/json","X-Tenant":"4711"}', '{"kind":"invoice","order":"1"}',
        label ${folded ? ', upper(url), upper(label)' : ''}
      FROM (SELECT ${key} AS key, ${CLIENT} AS client, ${idOf} AS id, ${STATUS} AS status,
        ${URL} AS url, ${interval} AS interval, ${LABEL} AS label FROM ${numbers(first, end)}) AS one
      ORDER BY key`,
    queue: `
      INSERT INTO queue (schedule_key, state, due_at, scheduled_for, next_for, attempt, attempts)
      SELECT ${key}, CASE WHEN waits THEN 'waiting' ELSE 'retrying' END,
        CASE WHEN waits THEN ${now + 180 * DAY_MS} + i ELSE ${now + 3 * HOUR_MS} + i END,
        CASE WHEN waits THEN ${now + 180 * DAY_MS} + i ELSE ${now} - (i % 3600) * 1000 END,
        NULL, CASE WHEN waits THEN 0 ELSE 1 END, CASE WHEN waits THEN NULL ELSE '${FAILED}' END
      FROM (
        SELECT i, i % 10 = 9 OR i % ${Math.max(2, Math.floor((last * 0.84) / sizes.retrying))} <> 0
          AS waits, ${STATUS} AS status FROM ${numbers(0, last)}) AS one
      WHERE status = 'enabled'`,
    texts: writesTexts
      ? null
      : `
      INSERT INTO schedule_texts (client_key, first_id, last_id, entries, labels, urls, keys)
      SELECT client_key, min(id), max(id), count(*), group_concat(fold(label), '${SEPARATOR}'),
        group_concat(fold(url), '${SEPARATOR}'), group_concat(schedule_key)
      FROM (SELECT *, (row_number() OVER (PARTITION BY client_key ORDER BY id) - 1) / 500 AS part
        FROM schedules) GROUP BY client_key, part`,
    runs: (first: number, end: number) => `
      INSERT INTO runs (client_key, scheduled_for, schedule_key, manual_id, trigger, status,
        started_at, finished_at, attempts, reason ${keeps ? ', keep' : ''})
      SELECT 1, at, key, '', 'schedule', status,
        CASE WHEN status = 'skipped' THEN NULL ELSE at + 2 + i % 40 END,
        CASE WHEN status = 'skipped' THEN at ELSE at + 20 + i % 300 END,
        CASE status WHEN 'skipped' THEN '[]' WHEN 'failed' THEN '${FAILED}' ELSE '${ATTEMPTS}' END,
        CASE WHEN status = 'skipped' THEN 'The run before it had not ended.' END
        ${keeps ? ", CASE WHEN status = 'failed' THEN 'long' ELSE 'short' END" : ''}
      FROM (
        SELECT i, ${timeOf(sizes.runs, now)} AS at,
          1 + i * 7919 % ${last} - CASE WHEN (1 + i * 7919 % ${last}) % 10 = 0 THEN 1 ELSE 0 END AS key,
          CASE WHEN i % 100 < 2 THEN 'failed' WHEN i % 100 = 2 THEN 'skipped' ELSE 'succeeded' END
            AS status
        FROM ${numbers(first, end)}) AS one
      ORDER BY at, key`,
  };
}

/** The nominal time of a run, oldest first: full seconds, more than a third of them in the last hour. */
function timeOf(runs: number, now: number): string {
  const old = Math.floor(runs * (1 - LAST_HOUR));
  const lastHour = Math.floor(now / 1_000) * 1_000 - HOUR_MS;
  const oldMs = HISTORY_DAYS * DAY_MS - HOUR_MS;
  const spread = (from: number, count: string, of: number, ms: number) =>
    `${from} + (${count}) * ${Math.floor(ms / 1_000)} / ${of} * 1000`;
  return `CASE WHEN i < ${old}
    THEN ${spread(lastHour - oldMs, 'i', old, oldMs)}
    ELSE ${spread(lastHour, `i - ${old}`, runs - old, HOUR_MS)} END`;
}
