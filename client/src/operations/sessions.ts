import type { CallOptions } from '../transport.ts';
import type * as Wire from '../wire.ts';
import { Operations, textOf } from './operations.ts';

/** The operations on sessions. */
export class Sessions extends Operations {
  /** Begins a session: the browser keeps its cookie, and needs no key from then on. */
  signIn(clientId: string, apiKey: string, options: CallOptions = {}): Promise<Wire.Session> {
    const credentials = { ClientId: clientId, ApiKey: apiKey };
    return this.send(
      { operation: 'signIn', method: 'POST', path: '/v1/session', credentials },
      options,
    );
  }

  /** Begins a session with the token of a link that `punctual dev` has printed; it counts once. */
  signInOnce(token: string, options: CallOptions = {}): Promise<Wire.Session> {
    const credentials = { 'Punctual-Sign-In': token };
    return this.send(
      { operation: 'signInOnce', method: 'POST', path: '/sign-in', credentials },
      options,
    );
  }

  getSession(options: CallOptions = {}): Promise<Wire.Session> {
    return this.read('getSession', '/v1/session', options);
  }

  /** Ends the session of the browser's cookie; with `all: 'true'` all sessions of the client. */
  signOut(query: Wire.SessionEndQuery = {}, options: CallOptions = {}): Promise<Wire.SessionEnd> {
    return this.send(
      { operation: 'signOut', method: 'DELETE', path: `/v1/session${textOf(query)}` },
      options,
    );
  }

  /** Those of all keys of the client that have not ended, newest first. */
  listSessions(options: CallOptions = {}): Promise<Wire.SessionList> {
    return this.read('listSessions', '/v1/session/list', options);
  }

  endSession(id: string, options: CallOptions = {}): Promise<Wire.SessionEnd> {
    return this.send(
      { operation: 'endSession', method: 'DELETE', path: `/v1/session/${encodeURIComponent(id)}` },
      options,
    );
  }
}
