import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The rest of a request that was answered before all of it had come.
 *
 * Closing a connection on bytes that were not read resets it, and the reset may overtake the answer: the caller
 * that is still writing sees a broken connection instead. So what still comes is read and thrown away, for a
 * bounded time and a bounded number of bytes. A request that ends within these leaves its connection as it was.
 */
const MOST_MS = 2_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** How often the bytes are counted. */
const COUNT_EVERY_MS = 10;
/** More time than this between two counts is none in which the process could read. */
const SUSPENDED_MS = 100;

/** Node closes a connection that is not kept open as soon as the answer is written; here it waits for the rest. */
export function readUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  const { headers, socket } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const { destroySoon } = socket;
  socket.destroySoon = () => {
    socket.destroySoon = destroySoon;
    if (request.complete) socket.destroySoon();
    else endAfterUnread(socket, () => request.complete);
  };
  response.once('finish', () => {
    const isClosing = socket.destroySoon === destroySoon;
    if (isClosing) return;
    if (request.complete) socket.destroySoon = destroySoon;
    else boundUnread(socket, () => request.complete);
  });
}

/** Ends this side, and reads on until `isOver` or the bounds are reached. */
export function endAfterUnread(socket: Socket, isOver = () => false, last = ''): void {
  if (socket.writable) socket.end(last);
  watchUnread(socket, isOver, () => socket.destroy());
}

/** Closes the connection where the rest goes beyond its bounds. */
function boundUnread(socket: Socket, isOver: () => boolean): void {
  watchUnread(socket, isOver, () => {
    if (!isOver()) socket.destroy();
  });
}

/** @param ended called once, when the rest is over or its bounds are reached */
function watchUnread(socket: Socket, isOver: () => boolean, ended: () => void): void {
  const mostRead = socket.bytesRead + MOST_BYTES;
  let leftMs = MOST_MS;
  let countedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    leftMs -= Math.min(now - countedAt, SUSPENDED_MS);
    countedAt = now;
    const isBeyond = leftMs <= 0 || socket.bytesRead > mostRead;
    if (!isBeyond && !isOver()) return;
    clearInterval(timer);
    ended();
  }, COUNT_EVERY_MS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}
