import type { Regression } from './regressions.ts';

/** Seeds that failed with faults that were asked for. */
export const REGRESSIONS_ASKED: Regression[] = [
  {
    seed: 109,
    faults: ['step'],
    mend: 'recount: the retry of a run whose time is the next to come is counted anew',
  },
  {
    seed: 145,
    faults: ['step'],
    mend: 'executor: what was decided about as the clock was set back waits for its time to come again',
  },
  {
    seed: 451,
    faults: ['step'],
    mend: 'recount: a run that goes on as the clock is set back has the next time of the right clock',
  },
  {
    seed: 17,
    faults: ['step'],
    mend: 'completer: times before that of a run that goes on come again, where the clock was set back',
    shownBy: ['engine/clock-step.test.ts', 'loses no time that was skipped before'],
  },
  {
    seed: 73,
    faults: ['step'],
    mend: 'recount: a claim that was given up after it was marked goes on with the times that passed since',
    shownBy: ['store/contract/recount.ts', 'a claim that was given up after it was marked goes on'],
  },
  {
    seed: 59,
    faults: ['step'],
    mend: 'recounter: what was sent is looked up until no run goes on from before it',
  },
  {
    seed: 122,
    faults: ['step'],
    mend: 'queue: a time that was cut off, and passes under a clock that is set ahead, has one record',
  },
  {
    seed: 22,
    faults: ['awaiting'],
    mend: 'completer: times that come while a run awaits are skipped, whether or not anybody looks',
    shownBy: ['engine/awaiting.test.ts', 'times that come while nobody looks are skipped'],
  },
  {
    seed: 13,
    faults: ['awaiting'],
    mend: 'completion: a deadline of a clock that was ahead is counted anew',
  },
  {
    seed: 237,
    faults: ['awaiting'],
    mend: 'queue: a retry that was decided about just before a manual run began waits its time',
  },
  {
    seed: 338,
    faults: ['awaiting'],
    mend: 'outbox: a heartbeat puts off no retry of a manual run that was not answered',
  },
  {
    seed: 2,
    faults: ['nodes', 'edits'],
    mend: 'rules: a time is skipped behind one that a frozen node had begun, and that a change dropped',
  },
  {
    seed: 357,
    faults: ['nodes'],
    mend: 'lease renewer: a node that was frozen beyond its lease renews again at once',
  },
  {
    seed: 373,
    faults: ['nodes'],
    mend: 'rules: a node that dies as it comes to listen was never up',
  },
  {
    seed: 570,
    faults: ['nodes'],
    mend: 'rules: a clock that is steered back by a millisecond says that a request began so much early',
  },
  {
    seed: 21,
    faults: ['destinations'],
    mend: 'slots: requests that started before their destination had limits count',
  },
  {
    seed: 12,
    faults: ['calendars'],
    mend: 'calendar recounter: a run in flight ends by the calendar that changed meanwhile',
  },
  {
    seed: 4,
    faults: ['long'],
    mend: 'pruner: a wait of less than a part of a ms is no reason to look again at once',
  },
  {
    seed: 54,
    faults: ['long'],
    mend: 'recount: times are looked up as well while a claim that has not begun is given back',
  },
  {
    seed: 4,
    faults: ['step', 'edits', 'explains'],
    mend: 'schedule: a pause holds where the clock was set back behind the last change',
  },
  {
    seed: 12,
    faults: ['steered', 'nodes', 'lose', 'kill'],
    mend: 'outbox: a further run that is dropped leaves no attempt, also where its claim is cut off',
  },
  {
    seed: 318,
    faults: ['step'],
    mend: 'requeue: times that a clock that was ahead has recorded come again, also where their schedule was disabled meanwhile',
    shownBy: [
      'store/contract/requeue.ts',
      'enabling forgets what a clock that was ahead has recorded',
    ],
  },
  {
    seed: 305,
    faults: ['step', 'edits'],
    mend: 'rules: of two deletions at once, the one that was answered made the version',
  },
  {
    seed: 263,
    faults: ['step', 'edits'],
    mend: 'rules: a machine that is suspended writes a change later than its caller waits',
  },
  {
    seed: 309,
    faults: ['step', 'edits'],
    mend: 'recount: times come again behind one that waits for a manual run, and is yet to come again itself',
    shownBy: ['store/contract/recount.ts', 'a row that waits behind a manual run goes on'],
  },
  {
    seed: 1_025,
    faults: ['crowd'],
    mend: 'rules: what waited for a full host may be missed, also when its host is free again',
  },
  {
    seed: 1_063,
    faults: ['crowd'],
    mend: 'rules: a change drops what waits for a full host',
  },
  {
    seed: 60,
    faults: ['socket'],
    mend: 'queue: a retry waits its time where two changes bring a next time before it, and take it away',
    shownBy: ['engine/late-change.test.ts', 'a retry waits as long as it was to where two changes'],
  },
  {
    seed: 1_476,
    faults: ['nodes', 'awaiting', 'edits', 'counts'],
    mend: 'rules: a node that dies while it is frozen does not wake up for that',
  },
  {
    seed: 1_489,
    faults: ['nodes', 'awaiting', 'edits', 'counts'],
    mend: 'rules: of several nodes that take a run whose target said how it ended, the last one writes it',
  },
  {
    seed: 1_538,
    faults: ['nodes', 'awaiting', 'edits', 'counts'],
    mend: 'rules: a deadline counts from when a node that was frozen has read the answer',
  },
  {
    seed: 1_969,
    faults: ['destinations'],
    mend: 'rules: nothing is due of a schedule before its create, also where changes of it were not answered',
  },
  {
    seed: 173,
    faults: ['clients'],
    mend: 'completer: a manual run is judged by the schedule as its attempt ends',
  },
  {
    seed: 108,
    faults: ['clients'],
    mend: 'world: a secret is changed as answered also where its client is being deleted',
  },
  {
    seed: 178,
    faults: ['clients'],
    mend: 'rules: a callback that was cut off is dropped with its client',
  },
  {
    seed: 4_700,
    faults: ['kill', 'slow', 'callers', 'suspend'],
    mend: 'queue: a retry that was looked at in the millisecond in which a manual run began is due with its end',
    shownBy: ['store/contract/outbox.ts', 'its end makes a retry due that was looked at'],
  },
  {
    seed: 20,
    faults: ['counts', 'calendars', 'edits'],
    mend: 'rules: what limits let through soon is claimed, and waits for its turn',
  },
  {
    seed: 4_455,
    faults: ['step', 'nodes', 'clients', 'destinations', 'freeze'],
    mend: 'rules: a node that was frozen writes a change later still where its store is slow',
  },
  {
    seed: 4_591,
    faults: ['nodes', 'kill', 'stop', 'callers', 'counts', 'absence', 'freeze'],
    mend: 'rules: a node that is asked to stop while it is frozen looks as it wakes, and stops',
  },
  {
    seed: 238,
    faults: ['clients'],
    mend: 'rules: a time may lose its place behind a manual run that a slow store writes late',
  },
  {
    seed: 176,
    faults: ['clients'],
    mend: 'rules: a run that comes back from a suspension of its client goes by the next time after that',
  },
  {
    seed: 47,
    faults: ['pause'],
    mend: 'pausing: a process that starts in a pause knows what the one before it had not sent',
    shownBy: ['pausing.test.ts', 'a process that starts in a pause hands what was before it'],
  },
  {
    seed: 100,
    faults: ['nodes', 'counts', 'destinations', 'freeze', 'stop'],
    mend: 'rules: a time passes unseen while no node can note that it is awake',
  },
  {
    seed: 7,
    faults: ['nodes'],
    mend: 'rules: a node whose clock is a millisecond ahead knows that a time has come',
  },
  {
    seed: 11,
    faults: ['crowd'],
    mend: 'rules: what may find a slot of a full host soon is claimed, and waits',
  },
  {
    seed: 58,
    faults: ['crowd'],
    mend: 'rules: a command changes no secret of what waits for a full host',
  },
  {
    seed: 27,
    faults: ['pause', 'nodes'],
    mend: 'rules: a run that is over in a pause is found by who goes on after it',
  },
  {
    seed: 30_289,
    faults: ['slow', 'callers', 'awaiting'],
    mend: 'completion: a deadline that a clock ahead has moved is set anew when the clock is right again',
  },
  {
    seed: 51_068,
    faults: ['step', 'awaiting', 'nodes'],
    mend: 'rules: a node may set its clock back by a ms while a request is on its way',
  },
  {
    seed: 14,
    faults: ['suspend'],
    mend: 'rules: a clock that is set back brings times again whose records retention has taken away',
  },
  {
    seed: 30121,
    faults: ['slow', 'callers', 'awaiting'],
    mend: 'awaiting: an end that a target has said is not lost as a settlement is written again',
  },
  {
    seed: 30439,
    faults: ['slow', 'callers', 'awaiting'],
    mend: 'rules: a time that a target of before refused under a clock that was ahead is sent',
  },
  {
    seed: 31120,
    faults: ['slow', 'step'],
    mend: 'queue: what was seen to come during a run is skipped, also if nobody looks after that',
    shownBy: [
      'domain/queue-attempt.test.ts',
      'so are those that came before a gap in which nobody looked',
    ],
  },
  {
    seed: 40421,
    faults: ['slow', 'callers'],
    mend: 'rules: a machine that is suspended as an answer comes reads it when it goes on',
  },
  {
    seed: 388,
    faults: ['suspend', 'slow'],
    mend: 'rules: a machine that is suspended as an answer comes reads it when it goes on',
  },
  {
    seed: 51_042,
    faults: ['step', 'awaiting', 'nodes'],
    mend: 'executor: a node that was frozen asks the others before it sends what it had claimed',
  },
  {
    seed: 73_253,
    faults: ['pause', 'nodes'],
    mend: 'pausing: a pause that begins while a resume waits for what is in flight holds',
  },
  {
    seed: 72_881,
    faults: ['pause'],
    mend: 'world: a life that stops as the world is judged has ended since it began to',
  },
  {
    seed: 534,
    faults: ['powerCut'],
    mend: 'store: a request in flight since before the clock was set back may have left',
  },
  {
    seed: 353,
    faults: ['powerCut'],
    mend: 'rules: a later time takes the place of one that waits for its connection after a start',
  },
  {
    seed: 64,
    faults: ['pause'],
    mend: 'queue: what comes during a run between two gaps is skipped',
  },
  {
    seed: 72_709,
    faults: ['pause'],
    mend: 'throttles: what an engine abandons in a pause counts for the engine after it',
    shownBy: ['engine/limits.test.ts', 'counts what an engine of the same process has abandoned'],
  },
  {
    seed: 72_138,
    faults: ['quiet'],
    mend: 'rules: a deletion of a schedule that has gone with its client makes no version',
  },
  {
    seed: 550,
    faults: ['races', 'clients', 'callers'],
    mend: 'rules: a schedule that was deleted as a process died had gone before its client',
  },
  {
    seed: 3_085,
    faults: ['socket'],
    mend: 'rules: a further run waits for a request of its schedule that is in flight as its time comes',
  },
  {
    seed: 85_077,
    faults: ['steered'],
    mend: 'engine: what a stop abandons before it was written never leaves',
  },
  {
    seed: 85_077,
    faults: ['slow', 'callers', 'awaiting'],
    mend: 'api: the engine hears of a deletion that a command made before a caller asked for it',
  },
  {
    seed: 802,
    faults: ['races', 'clients', 'callers'],
    mend: 'suspensions: what was deleted since its claim ends unsent, and is not put off',
    shownBy: [
      'store/contract/suspensions.ts',
      'a manual run whose schedule was deleted since its claim',
    ],
  },
  {
    seed: 816,
    faults: ['races', 'clients', 'callers'],
    mend: 'rules: a callback whose retry nobody could send is dropped with its client',
  },
  {
    seed: 1_119,
    faults: ['destinations', 'pause'],
    mend: 'explain: what passed behind a run that was cut off waits until the first engine after a resume has started',
  },
  {
    seed: 1_006,
    faults: ['destinations', 'pause'],
    mend: 'limits: what was raised while nothing of the destination waited counts from its first request on',
  },
  {
    seed: 391,
    faults: ['races', 'clients', 'callers'],
    mend: 'explain: what was claimed ahead of a kill waits for the resume, if the next process starts in a pause',
    shownBy: ['domain/explain.test.ts', 'what a process left behind that ended before a pause'],
  },
  {
    seed: 205,
    faults: ['suspend', 'long'],
    mend: 'recovery: a retry that was claimed after its retries had ended was never sent, and is not sent again',
    shownBy: [
      'store/contract/recovery.ts',
      'a retry that was claimed after its retries had ended was never sent',
    ],
  },
  {
    seed: 101_110,
    faults: ['step', 'edits', 'callers', 'slow'],
    mend: 'store: a change takes back nothing that has left before it was written',
    shownBy: [
      'store/contract/ahead.ts',
      'after it, where a change that is dated before it was written later',
    ],
  },
  {
    seed: 298,
    faults: ['races', 'nodes', 'freeze'],
    mend: 'rules: what passed while a node that woke to stop could not note its look may be too old',
  },
  {
    seed: 1_134,
    faults: ['races', 'clients', 'callers'],
    mend: 'rules: an answer that comes just after the store has refused a batch is written with that',
  },
  {
    seed: 3_133,
    faults: ['clients', 'nodes'],
    mend: 'store: a settlement that is written again does not undo a later claim of the same node',
  },
  {
    seed: 8_511,
    faults: ['clients', 'nodes'],
    mend: 'rules: a time that waits behind a run that is going at the resume starts at the end of that run',
  },
  {
    seed: 133_631,
    faults: ['pause'],
    mend: 'rules: the first look of nodes that share the store is told by the clock of the node that looks',
  },
  {
    seed: 422,
    faults: ['step', 'callers', 'slow'],
    mend: 'rules: what a clock showed that was set back comes again, unless the store stood still until its process ended',
  },
  {
    seed: 150_071,
    faults: ['pause'],
    mend: 'rules: raised limits are learned with a claim, and none comes while a run of its schedule goes on',
  },
  {
    seed: 154_030,
    faults: ['calendars', 'pause', 'nodes', 'slow'],
    mend: 'rules: a node hears late of a claim that another one took back just before the next time',
  },
  {
    seed: 152_195,
    faults: ['step', 'callers', 'slow'],
    mend: 'recounter: what an engine is deciding about as the clock is set back is waited for',
  },
  {
    seed: 152_580,
    faults: ['step', 'callers', 'slow', 'pause'],
    mend: 'queue: a lost run that may await a completion keeps back no times that come before its own',
    shownBy: ['domain/queue-attempt.test.ts', 'a lost run of a clock that was ahead'],
  },
  {
    seed: 152_222,
    faults: ['step', 'callers', 'awaiting'],
    mend: 'recounter: a claim behind which times were decided about already is waited for, too',
  },
  {
    seed: 153_719,
    faults: ['calendars', 'pause', 'slow'],
    mend: 'fence: of two manual runs without a row in the queue, within one millisecond, the second has the greater one',
    shownBy: ['store/contract/fence.ts', 'of manual runs grows where no firing is to come'],
  },
  {
    seed: 510_149,
    faults: ['nodes', 'kill', 'slow', 'freeze', 'lose', 'refuse'],
    mend: 'rules: a slow store may write after the stop of an engine that it looked',
  },
  {
    seed: 510_134,
    faults: ['nodes', 'kill', 'slow', 'freeze', 'lose', 'refuse'],
    mend: 'rules: a change drops the latest unseen time, also where others came behind a manual run since',
  },
  {
    seed: 2_337,
    faults: ['clients', 'nodes'],
    mend: 'world: a client is deleted after a change of its secrets, as the world cannot look at them later',
  },
  {
    seed: 727,
    faults: ['clients', 'nodes', 'lose', 'slow', 'refuse'],
    mend: 'rules: a time whose claim was lost just after it was due may fire after the resume of its client',
  },
  {
    seed: 1_186,
    faults: ['clients', 'nodes', 'lose', 'slow', 'refuse'],
    mend: 'rules: a time that one node after the other claims, and loses, is not put off for its client',
  },
  {
    seed: 331_368,
    faults: ['clients', 'nodes'],
    mend: 'world: it ends when it knows which secrets a call has left that was not answered',
  },
  {
    seed: 341_920,
    faults: ['edits', 'kill', 'callers'],
    mend: 'step rules: a change that is dated by a clock that was set back since counts from its date until its row is looked at',
  },
  {
    seed: 350_919,
    faults: ['step', 'edits'],
    mend: 'dispatcher: a run that was put aside, and is taken up again as its schedule is disabled, keeps its attempts',
  },
];
