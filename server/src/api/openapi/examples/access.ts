import type * as Wire from '@punctual/client';
import { CLIENT_ID, type Example, KEY_ID } from './example.ts';

const SESSION_ID = '019e7f54-6b1c-7c3e-9a41-5d0f8c2b7e10';
const FIRST_KEY_ID = '019e7a10-02d4-7b19-8f6a-3c5e9d1a4b72';

const session = {
  clientId: CLIENT_ID,
  clientName: 'Billing',
  keyId: KEY_ID,
} satisfies Wire.Session;

const key = {
  id: KEY_ID,
  name: 'deploy pipeline',
  createdAt: '2026-05-31T14:18:02.416Z',
  createdBy: FIRST_KEY_ID,
} satisfies Wire.Key;

const listedSession = {
  id: SESSION_ID,
  keyId: KEY_ID,
  createdAt: '2026-06-01T08:12:40.107Z',
  lastUsedAt: '2026-06-01T09:01:02.350Z',
  expiresAt: '2026-06-01T20:12:40.107Z',
  isCurrent: false,
} satisfies Wire.ListedSession;

const secret = {
  createdAt: '2026-05-31T14:18:02.416Z',
  overlapEndsAt: '2026-06-01T14:18:02.416Z',
} satisfies Wire.SigningSecret;

/** Nobody's. */
const API_KEY = 'pk_EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA';
const SIGNING_SECRET = 'whsec_RVhBTVBMRS1FWEFNUExFLUVYQU1QTEUtRVhBTVBMRS0=';

export const ACCESS_EXAMPLES: Record<string, Example> = {
  beginSession: { answer: session },
  getSession: { answer: session },
  endSession: {
    query: { all: 'true' } satisfies Wire.SessionEndQuery,
    answer: { success: true } satisfies Wire.SessionEnd,
  },
  listSessions: { answer: { items: [listedSession] } satisfies Wire.SessionList },
  endOneSession: {
    params: { sessionId: SESSION_ID },
    answer: { success: true } satisfies Wire.SessionEnd,
  },
  createKey: {
    body: { name: 'deploy pipeline' } satisfies Wire.KeyInput,
    answer: { ...key, apiKey: API_KEY } satisfies Wire.NewKey,
  },
  listKeys: { answer: { items: [key] } satisfies Wire.KeyList },
  revokeKey: {
    params: { keyId: KEY_ID },
    query: { descendants: 'true' } satisfies Wire.RevokeQuery,
    answer: {
      ...key,
      revokedAt: '2026-06-01T09:00:00.000Z',
      descendants: [],
    } satisfies Wire.RevokedKey,
  },
  rotateSecret: {
    body: { overlapSeconds: 86_400 } satisfies Wire.RotationInput,
    answer: { ...secret, signingSecret: SIGNING_SECRET } satisfies Wire.NewSigningSecret,
  },
  getSecret: { answer: secret },
  endOverlap: { answer: { createdAt: secret.createdAt } satisfies Wire.SigningSecret },
  getHealth: { answer: { status: 'ok' } satisfies Wire.Health },
  getReadiness: { answer: { status: 'ok' } satisfies Wire.Health },
  listTimezones: { answer: ['Africa/Abidjan', 'Europe/Berlin', 'UTC'] },
};
