import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_CODE_HEADER, ERROR_STATUS } from '../../domain/errors.ts';
import type { Limits } from '../deps.ts';
import { NOTHING_HERE, WHO_CALLS } from './failure.ts';
import { RequestAnswer } from './request-answer.ts';
import { STANDING_HEADERS } from './security-headers.ts';
import { endAfterUnread } from './unread-body.ts';

/**
 * The listener: HTTP/1.1 as Node speaks it, with the error object where Node would answer by itself
 * or say nothing (parser errors, 408, 413, 417, 431, CONNECT).
 *
 * Guarantee: a sender of bytes that are no request gets one answer and a closed connection. Answers
 * to earlier requests on the same connection are neither cut short nor overtaken.
 */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** @param refused told of each connection beyond `limits.connections`; it is closed without an answer */
export function createListener(handler: Handler, limits: Limits, refused: () => void): Server {
  const server = createServer({
    ServerResponse: RequestAnswer,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false,
  });
  // Their size is limited; a limit on their number makes Node drop the rest of them in silence.
  server.maxHeadersCount = 0;
  server.timeout = limits.stalledMs;
  server.maxConnections = limits.connections;
  server.on('drop', refused);
  // Node closes it without looking where nobody listens for this.
  server.on('timeout', (socket: Socket) => unlessMoreComes(socket, () => socket.destroy()));
  // A client may end its side once the request is sent, and still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });

  const accept: Handler = (request, response) => {
    conversationOn(request.socket).begin(request, response);
    if (request.headers.upgrade !== undefined) watchEnd(request);
    // A method that it has not heard of (DESCRIBE of RTSP) the router takes for a fault of its
    // own. TRACE it knows, and no route has it.
    if (!METHODS.has(request.method)) request.method = 'TRACE';
    handler(request, response);
  };
  server.on('request', accept);
  server.on('checkExpectation', accept);
  server.on('connect', (_request, socket: Socket) => {
    // From here on Node no longer listens to the socket, not even to its errors.
    socket.on('error', () => socket.destroy()).resume();
    void conversationOn(socket).breakOff(() => endWith(socket, 'not_found', NOTHING_HERE));
  });
  return server;
}

/** The parser says nothing of a body that breaks off where the request asks for another protocol. */
function watchEnd(request: IncomingMessage): void {
  const { socket } = request;
  const ended = () => {
    if (!request.complete) answerBrokenRequest({ code: 'HPE_INVALID_EOF_STATE' }, socket);
  };
  socket.once('end', () => setImmediate(ended));
}

const METHODS = new Set<string | undefined>([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

export function answerBrokenRequest(error: ParserError, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    conversationOn(socket).unlessOneArrives(() => refuse(error, socket));
  } else refuse(error, socket);
}

/**
 * The event loop calls its timers before it reads its sockets: where the process was suspended, what
 * was late for them may have arrived in time.
 */
function unlessMoreComes(socket: Socket, giveUp: () => void): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) giveUp();
  });
}

function refuse(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy();
    return;
  }
  const { code, sentence } = verdictOn(error);
  void conversationOn(socket).breakOff(() => endWith(socket, code, sentence));
}

/** The requests on one connection that are not answered yet. */
class Conversation {
  readonly #socket: Socket;
  /** In the order of their requests; those in front may be closed. */
  readonly #responses: ServerResponse[] = [];
  #last: { request: IncomingMessage; response: ServerResponse } | undefined;
  #broken = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#last = { request, response };
    while (this.#responses[0]?.closed) this.#responses.shift();
    this.#responses.push(response);
  }

  /** Whether a request that was late has arrived as a whole, when what has come is read. */
  unlessOneArrives(giveUp: () => void): void {
    const before = this.#last?.request;
    const wasComplete = before?.complete === true;
    setImmediate(() => {
      const now = this.#last?.request;
      if (now?.complete !== true || (now === before && wasComplete)) giveUp();
    });
  }

  /** The parser fails again on whatever else arrives; only the first time counts. */
  async breakOff(answer: () => void): Promise<void> {
    if (this.#broken) return;
    this.#broken = true;
    // A request that is broken itself may have been answered before all of it was there.
    const cut = this.#last?.request.complete === false ? this.#last.response : undefined;
    await this.#allAnsweredBut(cut);
    const isAnswered = cut?.headersSent === true;
    if (isAnswered) await this.#allAnsweredBut();
    if (isAnswered) endAfterUnread(this.#socket);
    else answer();
  }

  async #allAnsweredBut(excepted?: ServerResponse): Promise<void> {
    for (;;) {
      const next = this.#responses.find(response => response !== excepted && !response.closed);
      if (next === undefined) return;
      await new Promise(resolve => next.once('close', resolve));
    }
  }
}

const conversations = new WeakMap<Socket, Conversation>();

function conversationOn(socket: Socket): Conversation {
  let conversation = conversations.get(socket);
  if (conversation === undefined) {
    conversation = new Conversation(socket);
    conversations.set(socket, conversation);
  }
  return conversation;
}

interface ParserError {
  code?: string;
  rawPacket?: unknown;
  bytesParsed?: number;
}

function verdictOn(error: ParserError): { code: AnsweredCode; sentence: string } {
  const text = error.code === 'HPE_INVALID_METHOD' ? textOf(error) : '';
  if (isRequest(text)) {
    return isStrangers(text)
      ? { code: 'unauthorized', sentence: WHO_CALLS }
      : { code: 'not_found', sentence: NOTHING_HERE };
  }
  const sentence = SENTENCES[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
  return { code: 'request_invalid', sentence };
}

const SENTENCES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers are too large.',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The chunk extensions of the body are too large.',
  HPE_INVALID_EOF_STATE: 'The request ended before it was complete.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

/** From the line in which the parser has stopped. */
function textOf({ rawPacket, bytesParsed = 0 }: ParserError): string {
  if (!Buffer.isBuffer(rawPacket)) return '';
  const lineEnd = rawPacket.lastIndexOf('\r\n', bytesParsed);
  return rawPacket.toString('latin1', lineEnd === -1 ? 0 : lineEnd + 2);
}

/** Whether the line is well-formed as far as it can be seen: then only its method is unknown. */
function isRequest(text: string): boolean {
  return REQUEST_LINE.test(text.slice(0, LONGEST_LINE));
}

/** Whether it asks for something below `/v1` and names nobody who asks. */
function isStrangers(text: string): boolean {
  const [head] = text.split('\r\n\r\n', 1);
  return OF_V1.test(head!) && !(/^clientid:/im.test(head!) && /^apikey:/im.test(head!));
}

const LONGEST_LINE = 512;
const OF_V1 = /^\S+ \/v1[/? ]/;
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \/\S* HTTP\/1\.[01]\r\n/;

const STANDING_LINES = Object.entries(STANDING_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

const REASONS = {
  unauthorized: 'Unauthorized',
  not_found: 'Not Found',
  request_invalid: 'Bad Request',
};
type AnsweredCode = keyof typeof REASONS;

function endWith(socket: Socket, code: AnsweredCode, sentence: string): void {
  const body = JSON.stringify({ error: sentence });
  endAfterUnread(
    socket,
    undefined,
    `HTTP/1.1 ${ERROR_STATUS[code]} ${REASONS[code]}\r\n` +
      `${ERROR_CODE_HEADER}: ${code}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n` +
      STANDING_LINES +
      (code === 'unauthorized' ? 'WWW-Authenticate: ApiKey\r\n' : '') +
      `Connection: close\r\n\r\n${body}`,
  );
}
