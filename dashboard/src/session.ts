import { flagOf } from './flag.ts';

/** The service no longer knows the session: the page stays, and asks to sign in over it. */
export const sessionEnded = flagOf(false);
