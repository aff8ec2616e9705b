import { bug } from './planted-in-domain.ts';

/** Bugs of runs that await: what their targets say, their deadlines, and what is sent meanwhile. */

const COMPLETION = 'domain/run/completion.ts';
const OF_NODES = { faults: ['nodes', 'awaiting'] };

export const PLANTED_AWAITING = [
  bug('what a target says is not looked up', ['completionLost'], 'engine/delivery/completer.ts', [
    'open.filter(({ claim, attempt }) => maySay(claim, attempt))',
    'open.filter(() => false)',
  ]),
  bug('a deadline that passes is a success', ['completionUnasked'], COMPLETION, [
    'return timedOut(awaited, until);',
    "return ended(awaited, { runId: '', attempt: 1, saidAt: until }, 'succeeded', now);",
  ]),
  bug('a target is refused a second before its deadline', ['completionRefused'], COMPLETION, [
    'deadlineAt <= now)',
    'deadlineAt - 1_000 <= now)',
  ]),
  bug('a heartbeat counts from the deadline before it', ['deadlineWrong'], COMPLETION, [
    'Math.min(now + said.extendSeconds * 1_000, latest)',
    'Math.min((deadlineAt ?? now) + said.extendSeconds * 1_000, latest)',
  ]),
  bug(
    'a manual run does not wait for one that awaits',
    ['firedAwaiting'],
    'store/sqlite/outbox.ts',
    [
      "AND queue.state IN ('inFlight', 'lost', 'awaiting'))",
      "AND queue.state IN ('inFlight', 'lost'))",
    ],
  ),
  bug(
    'what a target says during its request is not noted at the row',
    ['completionLost'],
    'store/sqlite/completions.ts',
    [
      "iif(:ends OR (state <> 'awaiting' AND changed_at IS NULL),",
      "iif(:ends AND state = 'awaiting',",
    ],
  ),
  bug('nobody is told that a target has said its end', ['late'], 'api/routes/complete.ts', [
    'tell(engine, row, ticket.scheduleId);',
    '',
  ]),
  {
    ...bug(
      'a deadline that a clock ahead has set stands when the clock is right again',
      ['unrecorded'],
      'domain/run/recount.ts',
      ['isLater || isSetAhead(last, now)', 'isLater'],
    ),
    faults: ['step', 'awaiting', 'slow'],
  },
  {
    name: 'more time that was asked for under a clock ahead lasts until that clock shows its end',
    rules: ['unrecorded'],
    patches: [
      {
        file: COMPLETION,
        find: 'Math.min(said.deadlineAt, now + said.deadlineAt - said.saidAt)',
        replace: 'said.deadlineAt',
      },
      {
        file: 'store/sqlite/completions.ts',
        find: 'restate.all({ now })',
        replace: 'restate.all({ now: now + 86_400_000 })',
      },
    ],
    faults: ['step', 'awaiting'],
  },
  {
    ...bug(
      'a run that a node was deciding about, and awaits, is sent again',
      ['completionLost', 'completionRefused', 'firedAwaiting', 'retryUnasked', 'retryEarly'],
      'domain/run/queue.ts',
      ["if (isAwaiting(last)) return 'awaiting';", ''],
    ),
    ...OF_NODES,
  },
  {
    ...bug(
      'a run that was cut off is sent again, whatever its target has said',
      ['completionLost', 'firedAwaiting'],
      'engine/delivery/awaited.ts',
      ["(attempt !== null || was === 'lost')", '(attempt !== null)'],
    ),
    ...OF_NODES,
  },
  {
    ...bug(
      'a manual run that a node was deciding about, and awaits, is sent again',
      ['completionLost', 'completionRefused', 'firedAwaiting', 'attemptNumbers', 'retryUnasked'],
      'store/rows/outbox.ts',
      ['return { attempts, isAwaiting: true };', 'return { attempts, isAwaiting: false };'],
    ),
    // A node must die, or be slow, just as it decides.
    faults: [...OF_NODES.faults, 'callers', 'kill', 'slow'],
  },
];
