/** Destinations: how hosts are talked to, as whom and how fast. Secrets stand apart from the rest. */

export type DestinationAuth =
  | { type: 'basic'; username: string }
  | { type: 'bearer' }
  /** The names of its headers; their values are secret. */
  | { type: 'headers'; names: string[] }
  | {
      type: 'oauth2';
      tokenUrl: string;
      clientId: string;
      scope?: string;
      audience?: string;
      sendAs?: 'basic' | 'body';
    }
  | { type: 'oidc'; audience: string };

/** PEM. */
export interface DestinationTls {
  certificate?: string;
  /** The authorities that are trusted, instead of the system's. */
  ca?: string;
}

/** Of the whole installation. */
export interface DestinationLimits {
  maxConcurrent?: number;
  perSecond?: number;
}

/** The part that may be answered. */
export interface DestinationConfig {
  /** Names or addresses, `*.` for one label in front, `:port` to bind the port too. */
  hosts: string[];
  allowHttp?: boolean;
  auth?: DestinationAuth;
  tls?: DestinationTls;
  limits?: DestinationLimits;
}

/** The part that never leaves the service but to its hosts. */
export interface DestinationSecrets {
  password?: string;
  token?: string;
  headers?: Record<string, string>;
  clientSecret?: string;
  /** PEM: the key of the client certificate. */
  tlsKey?: string;
}

/** A destination in its two parts. */
export interface DestinationParts {
  config: DestinationConfig;
  secrets: DestinationSecrets;
}

/** A destination as a firing needs it. */
export interface Destination extends DestinationConfig {
  name: string;
  /** UUID version 7. Every change gives it a new one, and none comes back after a deletion. */
  version: string;
  secrets: DestinationSecrets;
}
