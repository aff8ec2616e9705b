import { namingEnds } from './white-space.ts';

/** The header of every error answer that carries its code; the body stays `{"error"}` alone. */
export const ERROR_CODE_HEADER = 'Punctual-Error-Code';

/**
 * Every error that Punctual answers or reports, once: its code and the status it has on the wire.
 *
 * The sentence is written where the error is thrown, because only there is it known what is wrong
 * and where. It is public: no stack, query, path or secret ever stands in it. The internal cause
 * goes into `cause`, which is logged and never answered.
 */
export const ERROR_STATUS = {
  body_invalid: 400,
  body_too_large: 400,
  request_invalid: 400,
  interval_invalid: 400,
  timezone_unknown: 400,
  calendar_invalid: 400,
  target_invalid: 400,
  target_refused: 400,
  headers_invalid: 400,
  schedule_deleted: 400,
  cursor_invalid: 400,
  external_id_taken: 400,
  reference_unknown: 400,
  in_use: 400,
  quota_exceeded: 400,
  template_invalid: 400,
  secret_required: 400,
  too_many_waiting: 400,
  too_many_tries: 400,
  unauthorized: 401,
  not_found: 404,
  /** Only on completion urls. */
  completion_ended: 410,
  /** Only where the caller named a version with `If-Match`. */
  precondition_failed: 412,
  /** Only where the caller sent an `Idempotency-Key`. */
  idempotency_conflict: 409,
  idempotency_mismatch: 422,
  internal: 500,
  store_unavailable: 500,
  /** Command line and start-up only: never answered over HTTP. */
  setting_invalid: 500,
  store_unusable: 500,
  store_missing: 500,
  store_newer: 500,
  store_in_use: 500,
  store_moved: 500,
  backup_refused: 500,
  move_refused: 500,
} as const;

/** The message for callers while the store is unavailable. */
export const STORE_UNAVAILABLE = 'The store cannot be written to at the moment.';

export type ErrorCode = keyof typeof ERROR_STATUS;

export class PunctualError extends Error {
  readonly code: ErrorCode;

  /**
   * @param sentence one English sentence that says what is wrong and where
   * @param options `refused` is the text that was sent: the sentence then names white space at its ends
   */
  constructor(
    code: ErrorCode,
    sentence: string,
    options: { cause?: unknown; refused?: string } = {},
  ) {
    const { refused, ...rest } = options;
    super(refused === undefined ? sentence : namingEnds(sentence, refused), rest);
    this.name = 'PunctualError';
    this.code = code;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The sentence with the cause that callers are not told: for logs, and for people at the machine. */
export function withReason({ message, cause }: PunctualError): string {
  if (message !== STORE_UNAVAILABLE || !(cause instanceof Error) || cause.message === '')
    return message;
  return `${message.slice(0, -1)}: ${cause.message.replace(/\.$/, '')}.`;
}
