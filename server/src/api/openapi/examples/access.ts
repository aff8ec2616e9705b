import type * as Wire from '@punctual/client';
import { CLIENT_ID, KEY_ID, SESSION_ID } from './ids.ts';

const FIRST_KEY_ID = '019e7a10-02d4-7b19-8f6a-3c5e9d1a4b72';

export const EXAMPLE_SESSION = {
  clientId: CLIENT_ID,
  clientName: 'Billing',
  keyId: KEY_ID,
} satisfies Wire.Session;

export const EXAMPLE_KEY = {
  id: KEY_ID,
  name: 'deploy pipeline',
  createdAt: '2026-05-31T14:18:02.416Z',
  createdBy: FIRST_KEY_ID,
} satisfies Wire.Key;

export const EXAMPLE_LISTED_SESSION = {
  id: SESSION_ID,
  keyId: KEY_ID,
  createdAt: '2026-06-01T08:12:40.107Z',
  lastUsedAt: '2026-06-01T09:01:02.350Z',
  expiresAt: '2026-06-01T20:12:40.107Z',
  isCurrent: false,
} satisfies Wire.ListedSession;

export const EXAMPLE_SECRET = {
  createdAt: '2026-05-31T14:18:02.416Z',
  overlapEndsAt: '2026-06-01T14:18:02.416Z',
} satisfies Wire.SigningSecret;

/** Nobody's. */
export const EXAMPLE_API_KEY = 'pk_EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA';
export const EXAMPLE_SIGNING_SECRET = 'whsec_RVhBTVBMRS1FWEFNUExFLUVYQU1QTEUtRVhBTVBMRS0=';
