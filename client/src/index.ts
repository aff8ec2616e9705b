export { PunctualClient } from './client.ts';
export * from './errors.ts';
export type { EventOptions } from './follow.ts';
export type { ChangeOptions, KeyedOptions } from './operations/operations.ts';
export { byExternalId, type TaggedSchedule, type UpsertOptions } from './operations/schedules.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export * from './verify.ts';
export * from './wire.ts';
