/** How a target says later how an attempt ended, at the url of its `Punctual-Completion-Url`. No body: it succeeded. */
export interface CompletionInput {
  /** Left out: it succeeded, or with `extendSeconds` it goes on. */
  status?: 'succeeded' | 'failed';
  /** Shown with the attempt, 1,000 characters at most. */
  message?: string;
  /** The deadline becomes this much later than now, at most 7 days after the start of the attempt. With a status it means nothing. */
  extendSeconds?: number;
}

export interface CompletionAnswer {
  success: boolean;
}

/** The end of an attempt as its target said it: later than its answer 202, or where no answer came. */
export interface AttemptCompletion {
  /** The deadline that the answer has set; a heartbeat moves it for the run (`completionUntil`). */
  until: string;
  /** When the target said how it ended; absent until then, and where nothing came. */
  endedAt?: string;
  message?: string;
}
