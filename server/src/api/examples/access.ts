import type * as Wire from '@punctual/client';
import { CLIENT_ID, type Example, KEY_ID } from './example.ts';

const session = {
  clientId: CLIENT_ID,
  clientName: 'Billing',
  keyId: KEY_ID,
} satisfies Wire.Session;

const key = {
  id: KEY_ID,
  name: 'deploy pipeline',
  createdAt: '2026-05-31T14:18:02.416Z',
} satisfies Wire.Key;

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
  endSession: { answer: { success: true } satisfies Wire.SessionEnd },
  createKey: {
    body: { name: 'deploy pipeline' } satisfies Wire.KeyInput,
    answer: { ...key, apiKey: API_KEY } satisfies Wire.NewKey,
  },
  listKeys: { answer: { items: [key] } satisfies Wire.KeyList },
  revokeKey: {
    params: { keyId: KEY_ID },
    answer: { ...key, revokedAt: '2026-06-01T09:00:00.000Z' } satisfies Wire.Key,
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
