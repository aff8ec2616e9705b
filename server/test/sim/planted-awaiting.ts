import { bug } from './planted-in-domain.ts';

/** Bugs of runs that await: what their targets say, their deadlines, and what is sent meanwhile. */

const COMPLETION = 'domain/run/completion.ts';

export const PLANTED_AWAITING = [
  bug('what a target says is not looked up', ['completionLost'], 'engine/delivery/completer.ts', [
    'looked.filter(({ claim, attempt }) => maySay(claim, attempt))',
    'looked.filter(() => false)',
  ]),
  bug('a deadline that passes is a success', ['completionUnasked'], COMPLETION, [
    'return timedOut(awaited, Math.min(until, now));',
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
];
