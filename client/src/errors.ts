/** An answer of the service that is an error; `message` is the sentence that came with it. */
export class PunctualApiError extends Error {
  readonly status: number;
  /** Such as `interval_invalid` (docs/errors.md); absent where something between has answered. */
  readonly code: string | undefined;
  /** The method of the client that was called, such as `createSchedule`. */
  readonly operation: string | undefined;
  /** The `X-Request-Id` of the answer. Punctual sets none; a proxy in front of it may. */
  readonly requestId: string | undefined;
  /** How long the service asks to wait before another attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, sentence: string, code?: string, details: ApiErrorDetails = {}) {
    super(sentence);
    this.name = 'PunctualApiError';
    this.status = status;
    this.code = code;
    this.operation = details.operation;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface ApiErrorDetails {
  operation?: string | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
}

/**
 * The service was not reached, or its answer did not arrive whole; `cause` is the error of `fetch`. The call may
 * have taken effect.
 */
export class PunctualConnectionError extends Error {
  /** The method of the client that was called, such as `createSchedule`. */
  readonly operation: string;

  constructor(operation: string, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'PunctualConnectionError';
    this.operation = operation;
  }
}

/** The answer did not come within the call's time limit. The call may have taken effect. */
export class PunctualTimeoutError extends PunctualConnectionError {
  /** The limit that passed, in milliseconds. */
  readonly timeoutMs: number;

  constructor(operation: string, timeoutMs: number, options?: ErrorOptions) {
    super(operation, `${operation} had no answer within ${timeoutMs} ms.`, options);
    this.name = 'PunctualTimeoutError';
    this.timeoutMs = timeoutMs;
  }
}
