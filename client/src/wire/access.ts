/** A session of the dashboard, in a cookie that scripts cannot read. */
export interface Session {
  clientId: string;
  clientName: string;
  /** The key that it was begun with, and ends with. */
  keyId: string;
}

export interface SessionEnd {
  success: boolean;
}

export interface KeyInput {
  /** 1 to 200 characters. */
  name: string;
}

export interface Key {
  id: string;
  name?: string;
  createdAt: string;
  revokedAt?: string;
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

/** What is told of a client's signing secret. */
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
