import { once } from 'node:events';

/** What commands print: one JSON value for programs, lines for people. Never anything else. */
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

/** Resolves at the first SIGINT or SIGTERM from the first call on. A second one ends the process at once. */
export function untilSignal(): Promise<Signal> {
  signalled ??= firstSignal();
  return signalled;
}

async function firstSignal(): Promise<Signal> {
  const signal = await Promise.race(SIGNALS.map(each => once(process, each).then(() => each)));
  for (const each of SIGNALS) process.once(each, () => endBy(each));
  return signal;
}

/** Unlike an exit, it does not wait for lookups of names that threads of the system are at. */
export function endBy(signal: Signal): void {
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, signal);
}

/** Ends a start that waits: what it attempts at this moment has nothing to finish. */
export async function endStart(): Promise<void> {
  const signal = await untilSignal();
  if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) endBy(signal);
  else process.exit();
}
