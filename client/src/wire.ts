/**
 * The wire types of Punctual's API, as JSON carries them.
 *
 * Instants are ISO 8601 date-times in UTC with milliseconds. An optional field that is unset is
 * left out, never null. The server's schemas are proved equal to these types by the compiler.
 */
export * from './wire/access.ts';
export * from './wire/calendar.ts';
export * from './wire/callback.ts';
export * from './wire/check.ts';
export * from './wire/completion.ts';
export * from './wire/destination.ts';
export * from './wire/event.ts';
export * from './wire/figures.ts';
export * from './wire/health.ts';
export * from './wire/incident.ts';
export * from './wire/ledger.ts';
export * from './wire/run.ts';
export * from './wire/schedule.ts';
export * from './wire/simulation.ts';
export * from './wire/tzdata.ts';
export * from './wire/version.ts';
