import type { Cause } from '@punctual/client';

/** Causes as a list names them. */
export const CAUSE_WORDS: Record<Cause, string> = {
  connectionRefused: 'Connection refused',
  timeout: 'Time limit passed',
  dns: 'Name not resolved',
  tls: 'TLS failed',
  unreachable: 'Not reachable',
  brokenOff: 'Connection closed',
  protocol: 'No valid HTTP',
  connection: 'Connection failed',
  breakerOpen: 'Not sent: host gave no answer',
  status: 'Answered with an error',
  condition: 'Answer is no success',
  completionFailed: 'Failed after 202',
  completionLate: 'Not completed in time',
  blocked: 'Not allowed',
  identity: 'Destination not usable',
  lost: 'Punctual stopped',
  notRunning: 'Punctual was not running',
  paused: 'Punctual was paused',
  tooBusy: 'Punctual was too busy',
  clockSetBack: 'Clock set back',
  other: 'Other',
};
