import type { PageQuery } from './schedule.ts';

/** How the service authenticates to a host. Fields marked write-only are never answered. `hasSecret` is accepted and ignored. */
export type DestinationAuthInput =
  | {
      type: 'basic';
      username: string;
      /** Write-only. */
      password?: string;
      hasSecret?: unknown;
    }
  | {
      type: 'bearer';
      /** Write-only. */
      token?: string;
      hasSecret?: unknown;
    }
  | {
      type: 'headers';
      /** Write-only: 1 to 10. */
      headers?: Record<string, string>;
      hasSecret?: unknown;
    }
  | {
      /** Client credentials (RFC 6749, 4.4). */
      type: 'oauth2';
      tokenUrl: string;
      clientId: string;
      /** Write-only. */
      clientSecret?: string;
      scope?: string;
      audience?: string;
      /** How the client credentials are sent: `basic` by default. */
      sendAs?: 'basic' | 'body';
      hasSecret?: unknown;
    }
  | {
      /** A JWT that the service signs. */
      type: 'oidc';
      audience: string;
      hasSecret?: unknown;
    };

export interface DestinationTlsInput {
  /** PEM: the client certificate. */
  certificate?: string;
  /** Write-only. PEM: the key of the client certificate. */
  key?: string;
  /** PEM: the authorities that are trusted, instead of the system's. */
  ca?: string;
  hasSecret?: unknown;
}

/** They hold for the whole installation. */
export interface DestinationLimits {
  /** 1 to 10,000 requests at a time. */
  maxConcurrent?: number;
  /** 0.01 to 10,000 requests a second. */
  perSecond?: number;
}

/** A destination to put. A write-only field that is left out is kept. Read-only fields are accepted and ignored. */
export interface DestinationInput {
  /** 1 to 20 names or addresses, `*.` for one label in front, `:port` to bind the port too. */
  hosts: string[];
  /** Whether secrets are sent over http too. False by default. */
  allowHttp?: boolean;
  auth?: DestinationAuthInput;
  tls?: DestinationTlsInput;
  limits?: DestinationLimits;
  name?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
  usedBy?: unknown;
}

/** How the service authenticates to a host, without its secrets: `hasSecret` says that they are set. */
export type DestinationAuth =
  | { type: 'basic'; username: string; hasSecret: boolean }
  | { type: 'bearer'; hasSecret: boolean }
  | { type: 'headers'; hasSecret: boolean }
  | {
      type: 'oauth2';
      tokenUrl: string;
      clientId: string;
      hasSecret: boolean;
      scope?: string;
      audience?: string;
      sendAs?: 'basic' | 'body';
    }
  | { type: 'oidc'; audience: string };

export interface DestinationTls {
  certificate?: string;
  ca?: string;
  hasSecret: boolean;
}

/** How hosts are talked to: as whom, with which certificates, and how fast. */
export interface Destination {
  name: string;
  createdAt: string;
  updatedAt?: string;
  /** How many schedules name it, deleted ones not among them. */
  usedBy: number;
  hosts: string[];
  allowHttp?: boolean;
  auth?: DestinationAuth;
  tls?: DestinationTls;
  limits?: DestinationLimits;
}

export type DestinationQuery = PageQuery;

/** By name. */
export interface DestinationPage {
  items: Destination[];
  /** Absent on the last page. */
  nextCursor?: string;
}

export interface DestinationDeletion {
  success: boolean;
}
