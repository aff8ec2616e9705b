/** A session of the dashboard, in a cookie that scripts cannot read. */
export interface Session {
  clientId: string;
  clientName: string;
  /** The key that it was begun with, and ends with. */
  keyId: string;
  /** The address of the sample targets; absent where the service is not `punctual dev`. */
  sampleUrl?: string;
}

export interface SessionEnd {
  success: boolean;
}

export interface SessionEndQuery {
  /** All sessions of this client: sign out everywhere. */
  all?: 'true' | 'false';
}

export interface ListedSession {
  id: string;
  /** The key that it was begun with, and ends with. */
  keyId: string;
  createdAt: string;
  /** To the minute. */
  lastUsedAt: string;
  /** At the latest; 30 minutes without a use end it sooner. */
  expiresAt: string;
  /** Whether the request was made in it. */
  isCurrent: boolean;
}

export interface SessionList {
  items: ListedSession[];
}

export interface KeyInput {
  /** 1 to 200 characters. */
  name: string;
}

export interface Key {
  id: string;
  name?: string;
  createdAt: string;
  /** The id of the key that made it; absent where an operator did. */
  createdBy?: string;
  revokedAt?: string;
}

export interface RevokeQuery {
  /** Whether all keys that came of it are revoked too. */
  descendants?: 'true' | 'false';
}

export interface RevokedKey extends Key {
  /** The ids of the descendant keys, if the query asked for them. */
  descendants?: string[];
}

export interface NewKey extends Key {
  /** Shown once. */
  apiKey: string;
}

export interface KeyList {
  items: Key[];
}

export interface RotationInput {
  /** How long the old secret signs too, seconds: 0 to 2,592,000, 86,400 by default. */
  overlapSeconds?: number;
  /** Within an overlap: the secret made last is thrown away, and the old one stays. */
  replaceNew?: boolean;
}

/** The public facts of a client's signing secret. */
export interface SigningSecret {
  /** Since when requests are signed with it. */
  createdAt: string;
  /** Until when the old one signs too; absent where it does not. */
  overlapEndsAt?: string;
}

export interface NewSigningSecret extends SigningSecret {
  /** Shown once. */
  signingSecret: string;
}
