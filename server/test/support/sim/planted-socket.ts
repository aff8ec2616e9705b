import type { Rule } from '../../../sim/model/rules/rule.ts';
import type { Patch } from '../crash/mutate.ts';

/** Bugs of the sender, which the simulator must find where requests go through sockets. */

export interface SocketBug {
  name: string;
  /** One of these must be said of it, whatever else; `broke`: the world does not come to its end. */
  rules: (Rule | 'broke')[];
  patches: Patch[];
  /** That are on in the worlds that find it. */
  faults: string[];
}

const POOL = 'outbound/connection-pool.ts';
const EXCHANGE = 'outbound/exchange.ts';

export const SOCKET_BUGS: SocketBug[] = [
  bug('a connection given back twice', ['permitEarly', 'answerOther'], POOL, [
    'this.#idle.push(connection);',
    'this.#idle.push(connection, connection);',
  ]),
  bug('a permit taken before the wait for a connection', ['permitEarly'], POOL, [
    'else this.#append(exchange);\n  }\n\n  /** The exchanges that wait',
    'else if (exchange.start()) this.#append(exchange);\n  }\n\n  /** The exchanges that wait',
  ]),
  bug(
    'a request whose permit was taken back goes onto a kept connection',
    ['sentUnpermitted'],
    POOL,
    [
      'this.#idle.length > 0 ? !exchange.start() : exchange.isCancelled',
      'this.#idle.length > 0 ? exchange.start() && false : exchange.isCancelled',
    ],
    ['socket', 'nodes', 'freeze'],
  ),
  bug('more connections to an origin than it may have', ['crowded'], POOL, [
    'this.size < this.#options.connectionsPerOrigin',
    'this.size <= this.#options.connectionsPerOrigin',
  ]),
  bug('the connection of a request that failed stays open', ['leftOpen'], POOL, [
    'connection.destroy();\n    this.#over(exchange);',
    'this.#over(exchange);',
  ]),
  bug('the connection of a request that failed is kept', ['leftOpen'], 'outbound/connection.ts', [
    'if (reusable && !this.#answerFilter.isIrregular)',
    'if (!this.#answerFilter.isIrregular)',
  ]),
  bug('connections are kept for ten seconds', ['leftOpen'], 'outbound/connection.ts', [
    'keepAliveTimeout: keepAliveMs,',
    'keepAliveTimeout: 10_000,',
  ]),
  bug('what was answered in part is written again', ['writtenTwice'], EXCHANGE, [
    'this.dialer === null && !this.#transport.hasBegun;',
    'this.dialer === null;',
  ]),
  bug('a POST is written again', ['writtenTwice', 'sentTwice'], EXCHANGE, [
    'isBrokenOff(error) && IDEMPOTENT.has(this.method);',
    'isBrokenOff(error);',
  ]),
  bug('a time limit is kept 100 ms late', ['pastLimit'], EXCHANGE, [
    'if (now >= this.deadlineAt) this.#timeOut();',
    'if (now >= this.deadlineAt + 100) this.#timeOut();',
  ]),
  bug('the time on a connection before counts for the limit', ['pastLimit'], EXCHANGE, [
    'this.deadlineAt = this.#begunAt + this.request.timeoutMs;',
    'this.deadlineAt = this.#begunAt + this.request.timeoutMs - 200;',
  ]),
  bug('a body whose connection was reset counts as whole', ['answerOther'], EXCHANGE, [
    'if (reset !== null) this.fail(reset);',
    'if (reset !== null && this.settled) this.fail(reset);',
  ]),
  bug('addresses are called that may not be', ['privateDialled'], 'outbound/guard.ts', [
    '.filter((_, i) => verdicts[i]!.allowed)',
    '.filter((_, i) => verdicts[i] !== undefined)',
  ]),
  bug('a signature of the id and the time alone', ['unsigned'], 'outbound/signature.ts', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '${id}.${timestampSeconds}.${body}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the source
    '${id}.${timestampSeconds}.',
  ]),
];

function bug(
  name: string,
  rules: SocketBug['rules'],
  file: string,
  [find, replace]: [find: string, replace: string],
  faults = ['socket'],
): SocketBug {
  return { name, rules, patches: [{ file, find, replace }], faults };
}
