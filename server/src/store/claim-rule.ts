/**
 * The rule of a claim as SQL: it says which rows a claim takes, and which attempts begin with it. The statements of
 * both backends splice it. The condition `begins` is `mayBegin` (domain/run/queue-row.ts) in SQL; `test/store/claim-rule.test.ts`
 * holds the two equal.
 */

/** How a statement names the arguments of `QueueStore.claim`. */
interface ClaimArguments {
  now: string;
  unseenUntil: string;
}

/** The conditions read columns of the table `queue`, under this name. */
interface ClaimRule {
  /** A due row may be sent at once, and a row that is not due yet may be sent at its time. */
  begins: string;
  /**
   * Of the rows that are due at `now` or soon: all that are due, and ahead of their time only those that begin
   * and do not wait behind a manual run.
   */
  isTaken: string;
}

export function claimRule({ now, unseenUntil }: ClaimArguments): ClaimRule {
  const begins = `
    queue.changed_at IS NULL AND queue.blocked_since IS NULL AND (queue.state = 'lost' OR (
      (queue.next_for IS NULL OR (queue.next_for > ${now} AND queue.next_for > queue.due_at))
      AND (queue.state = 'retrying'
        OR (queue.scheduled_for >= ${unseenUntil} AND queue.state <> 'awaiting'))))`;
  // Looked for row by row: with NOT EXISTS, PostgreSQL would read all manual runs each time. One that is due later, as a
  // target may ask for, does not come first.
  const noManualRun = `
    (SELECT id FROM outbox
      WHERE outbox.schedule_key = queue.schedule_key AND outbox.kind = 'manual'
        AND outbox.due_at <= queue.due_at LIMIT 1) IS NULL`;
  return { begins, isTaken: `(queue.due_at <= ${now} OR (${begins} AND ${noManualRun}))` };
}
