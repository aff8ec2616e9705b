export * from './client.ts';
export * from './wire.ts';
