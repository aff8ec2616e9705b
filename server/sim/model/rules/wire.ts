import type { Evidence } from '../evidence.ts';
import type { LineSeen, SendSeen, WireSeen, WrittenSeen } from '../wire-evidence.ts';
import type { Tell } from './rule.ts';

/** What becomes of requests between their permit and their result, and of the connections that carry them. */

/** Time limits are looked at so often. */
const TICK_MS = 50;
/** Two sums of fractions differ in their last digits, and an immediate comes at the same instant. */
const SAME_MS = 0.01;
/** RFC 9110, 9.2.2. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** History keeps so many bytes of a body. */
const KEPT_BYTES = 4_096;

export function checkWire({ wire }: Pick<Evidence, 'wire'>, tell: Tell): void {
  if (wire === undefined) return;
  const told = (send: SendSeen) => `Request ${send.name} of ${send.node} to ${send.origin}`;
  for (const send of wire.sends) {
    const name = told(send);
    checkPermit(send, name, tell);
    checkWritten(send, name, tell);
    checkSpan(send, name, wire, tell);
    checkAnswer(send, name, tell);
  }
  for (const same of Map.groupBy(wire.sends, ({ node, origin }) => `${node} ${origin}`).values())
    checkCrowd(same, wire, tell);
  const uses = Map.groupBy(
    wire.sends.flatMap(send => send.written.map(written => ({ send, written }))),
    ({ written }) => written.line,
  );
  for (const line of wire.lines) checkLine(line, uses.get(line) ?? [], wire, tell);
}

function checkPermit(send: SendSeen, name: string, tell: Tell): void {
  const { permitMs, endedMs, cancelledMs, hasDeparted, written } = send;
  const lastMs = permitMs === null ? Number.NEGATIVE_INFINITY : (cancelledMs ?? Infinity);
  if (written.some(({ atMs }) => atMs > lastMs))
    tell('sentUnpermitted', `${name} was written, and its permit was taken back.`);
  // Its time may be over before that: then it ends with its permit.
  if (permitMs !== null && endedMs !== null && endedMs > permitMs && !hasDeparted)
    tell('permitEarly', `${name} took its permit at ${permitMs} ms, and waited on.`);
}

/** Once; and once more where nobody can have read the first one for the last time. */
function checkWritten({ written, method }: SendSeen, name: string, tell: Tell): void {
  for (const { isSigned } of written)
    if (!isSigned) tell('unsigned', `${name} has no signature that verifies.`);
  if (written.length < 2) return;
  const [first] = written as [WrittenSeen];
  const mayAgain = IDEMPOTENT.has(method) && first.before > 0 && first.answeredBytes === 0;
  if (written.length > 2 || !mayAgain)
    tell('writtenTwice', `${name}, ${method}, was written ${written.length} times.`);
}

function checkSpan(send: SendSeen, name: string, wire: WireSeen, tell: Tell): void {
  const { askedMs, permitMs, endedMs, timeoutMs, outcome, node } = send;
  if (permitMs === null) return;
  const tookMs = (endedMs ?? wire.untilMs[node]!) - permitMs;
  if (tookMs > timeoutMs + TICK_MS + 1)
    tell('pastLimit', `${name} took ${tookMs} ms, and had ${timeoutMs}.`);
  // Its time begins before it is its turn to look up its name.
  const sinceMs = (endedMs ?? 0) - askedMs;
  if (outcome === 'timeout' && sinceMs < timeoutMs - SAME_MS)
    tell('pastLimit', `${name} timed out after ${sinceMs} ms, and had ${timeoutMs}.`);
}

function checkAnswer(send: SendSeen, name: string, tell: Tell): void {
  const { outcome, status, body, written, permitMs, timeoutMs } = send;
  if (outcome === null || outcome === 'cancelled') return;
  const answer = written.at(-1)?.answer ?? null;
  if (outcome === 'response') {
    const isSame = answer !== null && answer.status === status && isKept(answer.body, body ?? '');
    if (isSame) return;
    tell('answerOther', `${name} has the answer ${status} ${body}, and none like that came.`);
  } else if (answer !== null && answer.atMs < permitMs! + timeoutMs)
    tell('answerOther', `${name} was answered ${answer.status} in time, and ended as ${outcome}.`);
}

/** A status without a body has none. */
function isKept(body: string, kept: string): boolean {
  return (
    kept === '' || (body.length <= KEPT_BYTES ? kept === body : body.startsWith(kept.slice(0, -1)))
  );
}

/** Those under way to one origin. */
function checkCrowd(sends: SendSeen[], { connectionsPerOrigin, untilMs }: WireSeen, tell: Tell) {
  const changes = sends.flatMap(({ permitMs, endedMs, node }) =>
    permitMs === null
      ? []
      : [
          { atMs: permitMs, by: 1 },
          { atMs: endedMs ?? untilMs[node]!, by: -1 },
        ],
  );
  let underWay = 0;
  for (const { atMs, by } of changes.toSorted((a, b) => a.atMs - b.atMs || a.by - b.by)) {
    underWay += by;
    if (underWay <= connectionsPerOrigin) continue;
    const { node, origin } = sends[0]!;
    tell('crowded', `Node ${node} had ${underWay} requests under way to ${origin} at ${atMs} ms.`);
    return;
  }
}

/** It is closed with a request that came to no good end, and when nobody has used it for long. */
function checkLine(
  line: LineSeen,
  uses: { send: SendSeen; written: WrittenSeen }[],
  { keepAliveMs, untilMs, longestMs }: WireSeen,
  tell: Tell,
): void {
  const { node, origin, address, openedMs, closedMs } = line;
  if (!line.isAllowed) tell('privateDialled', `Node ${node} called ${address} for ${origin}.`);
  const last = uses.at(-1);
  const closedBy = closedMs ?? untilMs[node]!;
  const name = `A connection of ${node} to ${origin} of ${openedMs} ms`;
  if (last === undefined) {
    if (closedBy > openedMs + longestMs)
      tell('leftOpen', `${name} was never used, and stays open.`);
    return;
  }
  const { endedMs, outcome } = last.send;
  // It goes on, or goes on elsewhere.
  if (endedMs === null) return;
  const isGood = outcome === 'response' && last.send.written.at(-1) === last.written;
  const mostMs = isGood ? keepAliveMs + 1 : SAME_MS;
  if (closedBy > endedMs + mostMs)
    tell('leftOpen', `${name} is open ${closedBy - endedMs} ms after its last request had ended.`);
}
