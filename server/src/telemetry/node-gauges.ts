import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';

/** Gauges of one node among others: how its clock stands, and whether it hears the others. */

/** From here on a clock is wrong, and worth a line in the log. */
const WRONG_BY_MS = 1_000;

export function createClockGauge(registry: Registry, log: Logger): (aheadMs: number) => void {
  const gauge = new Gauge({
    name: 'punctual_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the database's, by which the nodes fire.",
    registers: [registry],
  });
  let wasWrong = false;
  return aheadMs => {
    gauge.set(aheadMs / 1_000);
    const isWrong = Math.abs(aheadMs) > WRONG_BY_MS;
    if (isWrong && !wasWrong) {
      log.warn({ aheadMs }, "this machine's clock is wrong; firings go by the database's");
    }
    if (wasWrong && !isWrong) log.info({ aheadMs }, "this machine's clock is right again");
    wasWrong = isWrong;
  };
}

/** The gauge is there from the first time on: a node that listens to nobody has none. */
export function createListeningGauge(
  registry: Registry,
  log: Logger,
): (isListening: boolean, why?: string) => void {
  let gauge: Gauge | null = null;
  const create = () =>
    new Gauge({
      name: 'punctual_listening',
      help: 'For nodes that share a database: 1 if this node is notified of the writes of others, 0 if it polls twice a second.',
      registers: [registry],
    });
  let was: boolean | null = null;
  return (isListening, why) => {
    gauge ??= create();
    gauge.set(isListening ? 1 : 0);
    if (isListening && was === false) log.info('this node hears again of what others write');
    if (!isListening && was !== false) {
      log.warn({ why }, 'this node does not hear of what others write, and looks twice a second');
    }
    was = isListening;
  };
}
