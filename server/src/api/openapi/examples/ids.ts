/** Ids of the examples, the same in all of them. */

export const CLIENT_ID = '019a9f3c-2a10-7c3e-9a51-7d1f0b9c4e21';
export const KEY_ID = '019a9f3c-2a11-7b04-8f6d-52c0a1e7d983';
export const SCHEDULE_ID = '019a9f41-6c58-7d20-b1c4-3e9a70f5d612';
/** Of the schedule's time at 06:30 on 1 June 2026. */
export const RUN_ID = '019e81d5-6b40-7d20-b1c4-3e9a70f5d612';
export const MANUAL_RUN_ID = '019e81e2-9f0c-7a83-94d7-0b5c3f2e8a16';
/** The target of the example's requests. */
export const TARGET = 'https://example.com/report';
export const SESSION_ID = '019e7f54-6b1c-7c3e-9a41-5d0f8c2b7e10';
