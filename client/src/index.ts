export * from './client.ts';
export * from './errors.ts';
export type { EventOptions } from './follow.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export * from './verify.ts';
export * from './wire.ts';
