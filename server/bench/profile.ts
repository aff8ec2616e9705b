import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';

/**
 * `npm run bench -- profile <folder>`: where the processor time of a firing goes, from the profiles that
 * V8 wrote under `--profile`: one for each thread.
 */
export const MEASURED_FILE = 'measured.json';

/** The part of the profiles to look at: its start, and the number of firings to divide by. */
export interface Measured {
  firings: number;
  /** By the machine's monotonic clock, as in the profiles. */
  sinceMicros: number;
}

/** https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
interface CpuProfile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
  startTime: number;
}

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string };
  children?: number[];
}

/** A function with a smaller share of the time of all threads gets no line. */
const LEAST_SHARE = 0.01;

export function profileCommand(): Command {
  return new Command('profile')
    .description('Prints where the time of a firing goes, from what --profile wrote.')
    .argument('<folder>', 'the one that --profile was given')
    .action((folder: string) => {
      const measured = JSON.parse(readFileSync(join(folder, MEASURED_FILE), 'utf8'));
      const files = readdirSync(folder).filter(file => file.endsWith('.cpuprofile'));
      const profiles = files.map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')));
      process.stdout.write(profileTable(profiles, measured));
    });
}

export function profileTable(profiles: CpuProfile[], { firings, sinceMicros }: Measured): string {
  const threads = profiles
    .map(profile => ({ name: threadOf(profile), micros: microsOf(profile, sinceMicros) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  const sum = (values: Iterable<number>) => [...values].reduce((total, each) => total + each, 0);
  const all = sum(threads.flatMap(({ micros }) => [...micros.values()]));
  const cells = (micros: number) =>
    `${(micros / firings).toFixed(1)} | ${((micros / all) * 100).toFixed(0)} %`;
  const lines = threads.flatMap(({ name, micros }) => {
    const rows = [...micros].sort(([, a], [, b]) => b - a);
    const shown = rows.filter(([, each]) => each >= all * LEAST_SHARE);
    const others = sum(rows.slice(shown.length).map(([, each]) => each));
    return [
      `| **${name}** | ${cells(sum(micros.values()))} |`,
      ...shown.map(([what, each]) => `| ${what} | ${cells(each)} |`),
      `| all else | ${cells(others)} |`,
    ];
  });
  return `| | µs a firing | of all |\n|---|---|---|\n${lines.join('\n')}\n`;
}

/** Time on the processor, by what was executed. */
function microsOf(
  { nodes, samples, timeDeltas, startTime }: CpuProfile,
  sinceMicros: number,
): Map<string, number> {
  const places = placesOf(nodes);
  const micros = new Map<string, number>();
  let now = startTime;
  for (const [at, id] of samples.entries()) {
    now += timeDeltas[at]!;
    const place = places.get(id)!;
    if (place === null || now < sinceMicros) continue;
    // A delta stands before its sample: what was sampled lasts until the next one.
    micros.set(place, (micros.get(place) ?? 0) + (timeDeltas[at + 1] ?? 0));
  }
  return micros;
}

/** Null: nothing was executed. */
function placesOf(nodes: ProfileNode[]): Map<number, string | null> {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const places = new Map<number, string | null>();
  const visit = (node: ProfileNode, above: string): void => {
    const place = placeOf(node.callFrame, above);
    places.set(node.id, place);
    for (const child of node.children ?? []) visit(byId.get(child)!, place ?? above);
  };
  visit(nodes[0]!, 'Node');
  return places;
}

function placeOf({ functionName, url }: ProfileNode['callFrame'], above: string): string | null {
  if (functionName === '(idle)' || functionName === '(root)') return null;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'Node, outside of JavaScript';
  // Time in C++ (SQLite, sockets, JSON) counts for its caller.
  if (url === '') return above.endsWith(', native') ? above : `${above}, native`;
  const own = /\/server\/src\/(store\/(?:sqlite|postgres)\/|\w+)/.exec(url)?.[1];
  if (own) return `${own.replace(/\/$/, '')}/`;
  const library = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return library ?? 'Node';
}

function threadOf({ nodes }: CpuProfile): string {
  const runs = (file: string) => nodes.some(({ callFrame }) => callFrame.url.endsWith(file));
  if (runs('/outbound/sender-worker.ts')) return 'the thread that sends';
  if (runs('/store/sqlite/worker/worker.ts')) return 'the thread that writes';
  return 'the main thread';
}
