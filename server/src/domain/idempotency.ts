/** How long it is remembered what a call with an `Idempotency-Key` has made. */
export const IDEMPOTENCY_KEPT_MS = 86_400_000;
