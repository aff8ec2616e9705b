/** A seed that has failed. */
export interface Regression {
  seed: number;
  /** What was mended for it. */
  mend: string;
  /** A test that fails without the mend as well: a file below server/test, and how the name of the test begins. */
  shownBy?: [file: string, name: string];
  /** That are on besides those that the seed has. */
  faults?: string[];
}

/** Seeds that failed as they are. */
export const REGRESSIONS: Regression[] = [
  {
    seed: 744_898,
    mend: 'rules: a time that passes while the end of a run is being written may be seen by the next start only',
  },
  {
    seed: 493_698,
    mend: 'rules: a stop gives back what waits for a connection, and the next start decides about its time',
  },
  {
    seed: 5_177,
    mend: 'store: the fence of a manual run is greater than the last one, also after its schedule has left the queue',
    shownBy: [
      'store/contract/fence.ts',
      'of a manual run is greater than all before its schedule was disabled',
    ],
  },
  {
    seed: 23,
    mend: 'queue: a time that waited and lost its place during a manual run is skipped',
  },
  {
    seed: 5_322,
    mend: 'rules: a manual run that waited since before the death goes first',
  },
  {
    seed: 1_586,
    mend: 'queue: a retry that a change takes back gives way to the next time that the change has brought',
    shownBy: [
      'domain/queue-attempt.test.ts',
      'a retry is decided about when a change brings an earlier time',
    ],
  },
  {
    seed: 700,
    mend: 'explain: what is decided about between two reads is on record, and not unrecorded',
  },
  {
    seed: 404,
    mend: 'rules: what was cut off may be decided about as a change that stops its schedule is written',
  },
  {
    seed: 469,
    mend: 'rules: a run that began just after a suspension may go on through the next one',
  },
  {
    seed: 1_035,
    mend: 'rules: a node that reaches the store late writes a manual run late, whoever sends it',
  },
  {
    seed: 1_928,
    mend: 'rules: a change drops what waits for a slot of its host',
  },
  {
    seed: 1_343,
    mend: 'rules: a schedule that nobody has changed owes the times since it was made',
  },
  {
    seed: 2_207,
    mend: 'rules: a target that answered 202 is at work also after a change has named another one',
  },
  {
    seed: 980,
    mend: 'rules: a change may drop the latest time that passed in a suspension',
  },
  {
    seed: 1_074,
    mend: 'world: a client is resumed once its suspension is written',
  },
  {
    seed: 1_517,
    mend: 'rules: a node that ends while it is frozen has not looked before',
  },
  {
    seed: 1_122,
    mend: 'rules: what a change takes back waits for its connection first, and what follows for another one',
  },
  {
    seed: 1_949,
    mend: 'rules: raised limits count for what was put off when that returns',
  },
  {
    seed: 1_457,
    mend: 'rules: a run whose target said how it ended is known once the node that took it has written it',
  },
  {
    seed: 1_990,
    mend: 'rules: a change skips times behind a run whose end nobody has written yet',
  },
  {
    seed: 1_254,
    mend: 'rules: what limits put off stays so when they change',
  },
  {
    seed: 4_740,
    mend: 'rules: what a store that stands still has on record as claimed may be called running',
  },
  {
    seed: 20_062,
    mend: 'rules: a further run that is dropped holds its schedule up while the store stands still',
  },
  {
    seed: 21_593,
    mend: 'rules: a time loses its place behind a manual run soon after the store stood still',
  },
  {
    seed: 20_243,
    mend: 'rules: a clock that goes by the store may be set by a millisecond at both ends of an attempt',
  },
  {
    seed: 20_179,
    mend: 'rules: a node whose store is slow writes a new schedule late',
  },
  {
    seed: 23_148,
    mend: 'rules: the end of a run may be refused before it could have been written',
  },
  {
    seed: 7_151,
    mend: 'rules: of two who delete a schedule under any clock, one writes it',
  },
  {
    seed: 7_313,
    mend: 'rules: figures that were asked for twice are as old as they say',
  },
  {
    seed: 4_176,
    mend: 'outbox: a retry waits its time where the claim of a manual run is written late',
  },
  {
    seed: 8_125,
    mend: 'rules: a request that starts in the millisecond in which its process dies counts its faults',
  },
  {
    seed: 9_124,
    mend: 'rules: what was claimed ahead of a suspension may be called running until it is decided about',
  },
  {
    seed: 7_291,
    mend: 'rules: what waits for a full host has not begun when its client is suspended',
  },
  {
    seed: 7_408,
    mend: 'rules: a time that the clock jumped over is called moved',
  },
  {
    seed: 9_760,
    mend: 'rules: a request that ends in the ms in which the machine is suspended does not go on in it',
  },
  {
    seed: 9_830,
    mend: 'rules: a calendar drops the latest of the times that passed while the store stood still',
  },
  {
    seed: 10_179,
    mend: 'rules: a callback that waits for a connection is in flight',
  },
  {
    seed: 9_687,
    mend: 'rules: with bufferOne a time that a node holds and does not send loses its place to a later one',
  },
  {
    seed: 24_228,
    mend: 'rules: a request that was cut off is in the way until a start finds it',
  },
  {
    seed: 24_483,
    mend: 'world: what was made without an answer is asked for its callbacks before history takes it away',
  },
  {
    seed: 23_002,
    mend: 'completion: a deadline that a clock ahead has set is set anew when the clock is right again',
    shownBy: [
      'domain/completion.test.ts',
      'a deadline that a clock ahead has set is as long from now on',
    ],
  },
  {
    seed: 27_462,
    mend: 'breaker: a probe that was never sent leaves its place to the next request',
    shownBy: ['engine/breaker.test.ts', 'one that was let through and never sent has seen nothing'],
  },
  {
    seed: 23_635,
    mend: 'rules: the model goes by one release of time zones, also for spans that croner counts',
  },
  {
    seed: 27_454,
    mend: 'queue: a retry waits its time where its schedule is disabled and enabled while its end is written',
    shownBy: [
      'domain/queue-attempt.test.ts',
      'a retry that a change brought forward waits its time',
    ],
  },
  {
    seed: 9_836,
    mend: 'queue: a row behind a manual run looks again when its next time comes',
    shownBy: [
      'domain/queue.test.ts',
      'a time that comes before it looks again is decided about when it comes',
    ],
  },
  {
    seed: 26_193,
    mend: 'rules: what starts in a pause counts no schedule anew before the resume',
  },
  {
    seed: 27_127,
    mend: 'rules: the end of a run that awaited is written by the next start where its process ends first',
  },
  {
    seed: 27_158,
    mend: 'api: next times begin behind those that come while the store is asked',
    shownBy: [
      'api/times.test.ts',
      'next: times that come while a slow store is asked are none of them',
    ],
  },
  {
    seed: 60_268,
    mend: 'rules: a time that comes during the last retry of a run is skipped, also where the clock is set',
  },
  {
    seed: 60_648,
    mend: 'rules: what comes from the first look of an engine on is seen, also before its start is over',
  },
  {
    seed: 71_312,
    mend: 'rules: what a start begins may wait for a connection until a change drops it',
  },
  {
    seed: 453_259,
    mend: 'rules: a claim that a change took back goes on until the store writes that',
  },
  {
    seed: 71_043,
    mend: 'rules: a request whose address is blocked says nothing about its host',
  },
  {
    seed: 73_073,
    mend: 'rules: another secret takes back what waits for a connection',
  },
  {
    seed: 70_894,
    mend: 'recount: a record of missed times is cut with the move of its row',
    shownBy: ['store/contract/recount.ts', 'such a record ends with the move of the row'],
  },
  {
    seed: 70_821,
    mend: 'store: a change starts before a run of the clock that was ahead, however soon its time comes',
  },
  {
    seed: 70_155,
    mend: 'rules: what passes before the first look of all is unseen, however short that is',
  },
  {
    seed: 72_375,
    mend: 'explain: a run that was cut off before its process began in a pause is not going',
  },
  {
    seed: 73_464,
    mend: 'suspensions: what a start has just claimed is looked at before a suspension ends',
    shownBy: [
      'engine/suspensions.test.ts',
      'a start after the end fires no time that passed meanwhile',
    ],
  },
  {
    seed: 80_113,
    mend: 'rules: an answer that comes in the ms of a suspension may be read when the machine goes on',
  },
  {
    seed: 80_363,
    mend: 'rules: a change drops the latest that passed before it, also where more came before somebody looked',
  },
  {
    seed: 84_177,
    mend: 'rules: what is skipped behind a request that a change took back is not the latest that passed',
  },
  {
    seed: 84_482,
    mend: 'rules: of two suspensions that follow each other closely, an engine knows of one gap',
  },
  {
    seed: 1_024,
    mend: 'rules: of several further runs the one nearest to what was asked for is meant',
  },
  {
    seed: 90_143,
    mend: 'rules: what was written before its permit was taken back was permitted',
  },
  {
    seed: 91_199,
    mend: 'store: where nodes share it, a claim that was sent unconfirmed may have left, although a change took it back',
  },
  {
    seed: 92_844,
    mend: 'rules: an answer that came as the machine was suspended ends a run when that is read',
  },
  {
    seed: 96_490,
    mend: 'rules: what ends just after a write has failed is written with the next try',
  },
  {
    seed: 96_525,
    mend: 'engine: who writes looks at the clock as well, and a step back before the next look is seen',
    shownBy: ['engine/clock-step.test.ts', 'holds up nothing that was written in that moment'],
  },
  {
    seed: 101_791,
    mend: 'rules: no request overlaps itself, though a clock that was set by a ms dates it before its time',
  },
  {
    seed: 102_566,
    mend: 'rules: what a claim from before a pause held up is skipped, although a suspension says that it had not begun',
  },
  {
    seed: 102_764,
    mend: 'rules: what came behind a retry of a clock that was ahead is to come again, and has no record',
  },
  {
    seed: 104_049,
    mend: 'rules: a node that wakes from a pause to end at once hears of no completion',
  },
  {
    seed: 90_452,
    mend: 'completer: take back what a change said behind a request that had not left',
    shownBy: ['engine/late-change.test.ts', 'does not say that its run was going'],
  },
  {
    seed: 104_383,
    mend: 'rules: what a claim holds that nobody knows of is decided about by the start after the pause that follows',
  },
  {
    seed: 107_004,
    mend: 'rules: what a store that stood still kept waiting may be missed by the next start, also at the end of history',
  },
  {
    seed: 120_603,
    mend: 'recount: a claim that was not sent, and that a clock that was set back marks, gives back its own time',
    shownBy: ['store/contract/recount.ts', 'a claim whose own time has come is marked as well'],
  },
  {
    seed: 131_985,
    mend: 'rules: a count may hold a record of a skipped time until it is taken back',
  },
  {
    seed: 142_120,
    mend: 'rules: a node hears of the end of what awaits as late as a slow store lets it',
  },
  {
    seed: 161_651,
    mend: 'step rules: what a store refused as the process died 100 ms later was not written again',
  },
  {
    seed: 131_083,
    mend: 'recovery: what was claimed ahead may have left if history knows a later instant than the clock shows',
    shownBy: [
      'store/contract/ahead.ts',
      'before it, by a clock that was set back since it has shown it',
    ],
  },
  {
    seed: 136_590,
    mend: 'world: of two deletions at once, the one that was refused has not made the version',
  },
  {
    seed: 120_030,
    mend: 'stats: a record of what was skipped may stand for many',
    shownBy: [
      'store/contract/stats.ts',
      'one record of what was skipped behind a long run may stand for many',
    ],
  },
  {
    seed: 150_336,
    mend: 'rules: history stays for a day longer where no process has lived for long enough to note its clock',
  },
  {
    seed: 136_758,
    mend: 'rules: the retry of a further run goes behind the request of its schedule that the start sends first',
  },
  {
    seed: 134_603,
    mend: 'calendar recounter: times that have passed are decided about by the version before',
    shownBy: ['engine/calendars.test.ts', 'times that have passed go by the version before'],
  },
  {
    seed: 152_527,
    mend: 'rules: a count may hold what a deletion said behind a claim that a frozen node gave back unsent',
  },
  {
    seed: 172_052,
    mend: 'rules: a start tells whether a time is too old by the clock as it first read it',
  },
  {
    seed: 173_277,
    mend: 'world: after a power cut nobody knows what was sent, also where the next process stops at its limit',
  },
  {
    seed: 181_633,
    mend: 'rules: the end of the run before is written before the next one waits for its connection',
  },
  {
    seed: 182_340,
    mend: 'rules: a node that wakes to stop in a pause notes nothing, and nobody does until the resume',
  },
  {
    seed: 180_039,
    mend: 'completions: an attempt that timed out says when, and its retry is counted from there',
    shownBy: [
      'domain/completion.test.ts',
      'an attempt that timed out says by when nothing had come',
    ],
  },
  {
    seed: 845_416,
    mend: 'rules: a node notes that it is awake as it looks after a second, up to half a second later',
  },
  {
    seed: 300_182,
    mend: 'suspensions: what a change said behind an unsent request is taken back as the row is put off',
  },
  {
    seed: 201_632,
    mend: 'completer: a run that is looked at while the store refuses ends when its target said so',
  },
  {
    seed: 203_918,
    mend: 'store: a further run that is dropped blocks no time while it is ended',
    shownBy: ['store/contract/service-change.ts', 'blocks no time where it was replaced'],
  },
  {
    seed: 211_783,
    mend: 'rules: a further run waits for a firing that waits for its connection',
  },
  {
    seed: 213_124,
    mend: 'rules: a schedule that is made as its destination is deleted may be refused its changes',
  },
  {
    seed: 91_776,
    mend: 'completer: a run that ends by a clock that is ahead looks at it, also between two looks of the loops',
    shownBy: [
      'engine/clock-step.test.ts',
      'loses no time where a run ends by it, between two looks',
    ],
  },
  {
    seed: 205_683,
    mend: 'step rules: a target that asked for more time is at work for as long, or until it ended',
  },
  {
    seed: 216_847,
    mend: 'completer: times that a change by a clock that was ahead has told as skipped do not fire',
    shownBy: [
      'engine/clock-step.test.ts',
      'sends no time that a change of then has told as skipped',
    ],
  },
  {
    seed: 221_805,
    mend: 'step rules: a time comes again whose record retention took away before the clock was set back',
  },
  {
    seed: 220_541,
    mend: 'rules: a change drops the latest time that waits behind a manual run, also after a later one was skipped',
  },
  {
    seed: 222_588,
    mend: 'world: a change is written by when the store has it, also after its caller waited no more',
  },
  {
    seed: 224_459,
    mend: 'rules: a node that is frozen while a retry waits for its connection sends it as it goes on',
  },
  {
    seed: 228_509,
    mend: 'rules: a manual run whose deadline passes just before a next time may give way to the one after it',
  },
  {
    seed: 233_049,
    mend: 'secrets: the engine hears of an end of an overlap that a deletion has ended before',
    shownBy: [
      'api/secret.test.ts',
      'the engine is told of an overlap that a command has ended before',
    ],
  },
  {
    seed: 236_868,
    mend: 'rules: a request that came as the machine was suspended took a whole ms less than its clock shows',
  },
  {
    seed: 226_457,
    mend: 'rules: a time that a manual run held up was seen, and is not the latest of those that nobody saw',
  },
  {
    seed: 231_467,
    mend: 'rules: a node that freezes within the millisecond of an answer reads it as it goes on',
  },
  {
    seed: 235_114,
    mend: 'world: an answer that broke off says by its headers when its schedule may be tried again',
  },
  {
    seed: 244_358,
    mend: 'rules: a lost attempt is over as the next one is claimed, and its target is told so',
  },
  {
    seed: 261_900,
    mend: 'rules: a request that came as the machine was suspended is timed by a clock that jumps with the answer',
  },
  {
    seed: 262_566,
    mend: 'recounter: a retry that is counted anew waits for the end of a pause',
    shownBy: ['engine/late-change-steps.test.ts', 'a retry waits for the end of a pause'],
  },
  {
    seed: 258_495,
    mend: 'throttles: a firing that was claimed before the limits of its destination changed leaves the new ones in force',
    shownBy: ['engine/limits.test.ts', 'limits that were read last hold'],
  },
  {
    seed: 240_061,
    mend: 'rules: a run that was cut off goes first, and its answer may stop the latest of the times that passed',
  },
  {
    seed: 251_106,
    mend: 'store: a schedule that was disabled begins with its first time, also where a run of a clock that was ahead goes on',
    shownBy: [
      'store/contract/late-change.ts',
      'starts with it where it was disabled, and a run of a clock',
    ],
  },
  {
    seed: 251_832,
    mend: 'rules: a lost claim keeps a time from being put off, also where a slow store was late with that claim',
  },
  {
    seed: 259_780,
    mend: 'store: a change that is written after the clock was set back counts its times from then on',
    shownBy: ['engine/late-change.test.ts', 'counts its times from then on, and loses none'],
  },
  {
    seed: 259_954,
    mend: 'rules: after a power cut, a clock that was set back may show an instant between a claim and its time',
  },
  {
    seed: 276_845,
    mend: 'rules: of two changes within one ms the later one says the next ms, and its times count from its own',
  },
  {
    seed: 279_871,
    mend: 'recounter: once a clock is set ahead, a pass goes by it, and what is decided waits for a call on its way',
    shownBy: ['engine/recounter.test.ts', 'while a pass waits for the store'],
  },
  {
    seed: 282_640,
    mend: 'recounter: a pass that is asked for before a clock is set ahead cuts no record that is made after that',
  },
  {
    seed: 291_253,
    mend: 'rules: the breaker of a host knows what schedules that were changed have called, too',
  },
  {
    seed: 293_300,
    mend: 'rules: a further run that is dropped may have been asked for a whole second, and is explained',
  },
  {
    seed: 295_994,
    mend: 'rules: the end of a manual run is written with others, and a retry behind it may give way until then',
  },
  {
    seed: 295_829,
    mend: 'rules: a retry of a manual run gives way to the next time after a suspension that began as its answer came',
  },
  {
    seed: 297_198,
    mend: 'dispatcher: a schedule completes after the run of its target, also where a claim is slow',
    shownBy: ['engine/overlap.test.ts', 'a schedule completes after the run of its target'],
  },
  {
    seed: 212_940,
    mend: 'recounter: a run that awaits is looked at by its deadline, also where a clock that was ahead has claimed it',
    shownBy: ['domain/completion.test.ts', 'a run that awaits is looked at by its deadline once'],
  },
  {
    seed: 281_888,
    mend: 'rules: a clock that was set back into a request makes it look taken back, where the mark of what was sent is unknown',
  },
  {
    seed: 183_803,
    mend: 'recovery: the retry of a manual run that was claimed after its retries had ended was never sent',
    shownBy: ['store/contract/recovery.ts', 'the retry of a manual run that was claimed'],
  },
];
