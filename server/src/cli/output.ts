import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type destination, type Logger, symbols } from 'pino';
import { SETTINGS } from '../config.ts';

/** Below the help of the commands that run the service, and of `punctual` itself. */
export const SETTINGS_HELP = `\nSettings, read from the environment:\n${settingLines().join('\n')}`;

/**
 * Prints the output of a command: one JSON value for programs, lines for people, never anything
 * else.
 */
export function print(json: boolean, value: unknown, lines: string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}

export function fail(sentence: string, json: boolean): void {
  process.stderr.write(json ? `${JSON.stringify({ error: sentence })}\n` : `${sentence}\n`);
  process.exitCode = 1;
}

/** Rows under their headings, as wide as their widest cell. */
export function table(headings: string[], rows: string[][]): string[] {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map(row => row[column]!.length)));
  return all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type Signal = (typeof SIGNALS)[number];

let signalled: Promise<Signal> | undefined;

/**
 * Resolves at the first SIGINT or SIGTERM from the first call on, or when npm, which has started this process, is gone
 * (bin/starter.js). A second signal ends the process at once.
 */
export function untilSignal(): Promise<Signal> {
  signalled ??= firstSignal();
  return signalled;
}

async function firstSignal(): Promise<Signal> {
  const signals = SIGNALS.map(each => once(process, each).then(() => each));
  // It stays listened to: after a signal it changes nothing any more.
  const orphaned = once(process, 'starterGone').then(() => 'SIGTERM' as const);
  const signal = await Promise.race([...signals, orphaned]);
  for (const each of SIGNALS) process.once(each, () => endBy(each));
  return signal;
}

/** Unlike an exit, it does not wait for lookups of names that threads of the system are at. */
export function endBy(signal: Signal): void {
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, signal);
}

/** How long lines of the log may take to leave, where nobody reads them. */
const WRITTEN_MS = 1_000;

/** Ends the log, and resolves when all of it has left this process: a signal would take the rest along. */
export async function written(log: Logger): Promise<void> {
  // Lines are written in the background, one write after the other; only the end says when all have gone.
  const stream = (log as unknown as Record<symbol, SonicBoom>)[symbols.streamSym]!;
  const closed = once(stream, 'close');
  stream.end();
  await Promise.race([closed, sleep(WRITTEN_MS)]);
}

type SonicBoom = ReturnType<typeof destination>;

/** Ends a start that waits: what it attempts at this moment has nothing to finish. */
export async function endStart(): Promise<void> {
  const signal = await untilSignal();
  if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) endBy(signal);
  else process.exit();
}

/** A line for each setting, with its default, for people. */
function settingLines(): string[] {
  const names = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];
  const widest = Math.max(...names.map(name => name.length));
  return names.map(name => {
    const { about, fallback } = SETTINGS[name];
    const byDefault = fallback === '' ? '' : ` (default: ${fallback})`;
    return `  ${name.padEnd(widest)}  ${about.replaceAll('`', '')}${byDefault}`;
  });
}
