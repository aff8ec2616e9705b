/** What a service promises, each in one sentence. Everything that does not fit is a violation. */
export const RULES = {
  gone: 'A schedule whose create was answered is there.',
  madeTwice: 'What is asked for again under one key is made once.',
  refused: 'While the service is up, it answers its callers.',
  unrecorded: 'Every nominal time has its record.',
  recordedTwice: 'No nominal time has two records.',
  notDue: 'Nothing is recorded or sent that was not due.',
  wrongCount: 'A record for many missed times counts them right.',
  unfinished: 'Every run comes to its end.',
  early: 'No request starts before its nominal time.',
  missedWhileUp:
    'A time is missed only where the service was down, or was late by a whole interval.',
  causeWrong:
    'A time that is missed says why: that nobody ran, that Punctual was paused, or which limits it waited for.',
  cutInPause: 'A pause cuts nothing off that is in flight.',
  firedPaused: 'Once every node has heard of a pause, nothing starts until the resume.',
  latestMissed: 'Of the times that passed unseen, the latest fires.',
  oldFired: 'What passed unseen longer ago than catchUpSeconds does not fire.',
  skippedWithoutRun: 'A time is skipped only while a run of its schedule is going on.',
  notSkipped:
    'A time that comes during a request of its schedule is skipped, unless the policy buffers it.',
  bufferLost: 'With bufferOne, a time is skipped only for a later one that waits.',
  attemptNumbers: 'Attempts are numbered 1, 2, 3 without a gap.',
  lostWithoutCrash: 'An attempt is lost only in a crash.',
  lostForGood: 'What was cut off by a crash is sent again.',
  retryLost: 'A retry comes, unless the next time comes first.',
  late: 'While nothing is in its way, a request starts in time.',
  retryEarly: 'A retry waits as long as the policy and its target say.',
  retryUnasked: 'Only what the policy retries is tried again.',
  retryAtNext: 'A retry gives way to the next time of its schedule.',
  verdictWrong: 'A run ends as its last attempt and the policy say.',
  breakerOpen: 'A host that is down gets one request in 5 s.',
  breakerShut:
    'A breaker opens after 20 requests and 10 s without an answer, and refuses for 5 s at a time.',
  overConcurrent: 'A destination gets no more requests at the same moment than its limits let.',
  overRate: 'A destination gets no more requests in a second than its limits let.',
  triggerLost: 'A manual run whose trigger was answered is in history.',
  arrivalUnrecorded: 'Every request that the target saw is an attempt in history.',
  attemptUnseen: 'Every attempt that got an answer was seen by the target.',
  answerDiffers: 'History and target agree on answer and instant.',
  secondId: 'One nominal time has one webhook-id.',
  sharedId: 'One webhook-id has one nominal time.',
  sentTwice: 'One attempt is one request.',
  duplicateWithoutCrash: 'A request is sent again only after a crash, or as a retry.',
  overlap: 'One request of a schedule is in flight.',
  fence: 'Each attempt of a schedule has a greater fence than all before it.',
  unheld: 'A request leaves a node only while the node holds its claim.',
  notRenewed: 'A node that is well keeps its claims.',
  heldOn: 'A claim that a node does nothing with is taken back within a lease and a look.',
  callbackLost: 'Every run that calls back has done so.',
  callbackUnfinished: 'Every callback comes to its end.',
  callbackUnexpected: 'Only runs that call back do so, once for each integration.',
  callbackUnseen: 'Every attempt of a callback that got an answer was seen by the receiver.',
  callbackUnrecorded: 'Every callback that the receiver saw is an attempt in history.',
  callbackSecondId: 'One callback has one webhook-id.',
  unsent: 'A one-off is sent, unless a manual run is in its way.',
  notCompleted: 'A schedule completes when its last run has ended.',
  completedEarly: 'A schedule with a time to come, or a run that goes on, has not completed.',
  completedTwice: 'A schedule completes once.',
  completedOtherwise: 'A completed schedule is disabled or deleted, as it was asked, and says why.',
  completionLost: 'A run ends as its target was told that it has.',
  completionUnasked: 'A run that awaits ends only as its target says, or at its deadline.',
  completionRefused: 'A target is refused only what it says too late.',
  deadlineWrong: 'A deadline is counted from the answer, and from each request for more time.',
  firedAwaiting: 'While a run awaits its completion, nothing of its schedule is sent.',
  controlDiffers: 'History shows what a target asked for with its answer.',
  steeredLost: 'A schedule pauses or is disabled as its target asks.',
  steeredUnasked: 'A target changes its schedule only as it asks.',
  furtherLost: 'A further run comes that a target asked for.',
  furtherUnasked:
    'A further run comes only as a target asked, unless a newer one or a stop drops it.',
  changeLost: 'A change that was answered is there.',
  changeUnasked: 'A schedule is changed as its callers asked, and no other way.',
  overwritten: 'A change that names a version is made of that version only.',
  changeRefused: 'A change is refused only where its schedule is deleted, or its version is gone.',
  firedStopped: 'Once it is answered that a schedule is stopped, nothing of it starts.',
  explainDiffers: 'What callers are told of an instant is what becomes of it.',
  ownerless: 'A process works on each row that is in flight.',
  countDiffers: 'Figures are counts over the records that history has.',
  prunedYoung: 'Retention takes nothing away that is younger than it may be.',
  keptOld: 'What is older than history is kept goes within minutes.',
  nextDiffers: 'The next times that callers are told are those of the schedule.',
  forecastDiffers: 'A forecast counts the times to come of the schedules that are enabled.',
  sentUnpermitted: 'Nothing is written of a request whose permit was taken back.',
  permitEarly: 'A request takes its permit when a connection is there for it, or may be opened.',
  unsigned: 'Each request has a signature that verifies.',
  writtenTwice:
    'A sender writes a request once, and once more only if that may be: on a kept connection, before any answer.',
  pastLimit: 'A request ends at its time limit, and not before.',
  answerOther: 'The result of a request is the answer that came to it in time.',
  crowded: 'No more requests are under way to an origin than it may have connections.',
  leftOpen:
    'A connection is closed when its request has failed, or when nobody has used it for long.',
  privateDialled: 'No connection is opened to an address that may not be called.',
  firedCompleted: 'Nothing fires after the schedule has completed.',
  firedSuspended:
    'Once engines have asked who is suspended or deleted, nothing of that client starts.',
  suspendedUntold: 'A time that passes while its client is suspended is missed, and says so.',
  letIn: 'A client that is suspended or deleted may not call, and every other may.',
  clientLeft: 'A deleted client leaves nothing behind that could be sent.',
  signedOtherwise:
    'A request carries the signatures of the secrets that are valid as it starts, and no others.',
} as const;

export type Rule = keyof typeof RULES;

export interface Violation {
  rule: Rule;
  sentence: string;
}

/** Told by rules: which one is broken, and how. */
export type Tell = (rule: Rule, sentence: string) => void;
