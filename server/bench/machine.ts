import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release, totalmem, type } from 'node:os';
import { pause } from './processes.ts';

/** On what the figures were measured, and whether it was quiet enough to believe them. */
export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
}

export function describeMachine(): Machine {
  const all = cpus();
  return {
    processor: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().split('.').slice(0, 2).join('.')}`,
  };
}

export function describeVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  return {
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? 'none',
    undici: require('undici/package.json').version,
    fastify: require('fastify/package.json').version,
  };
}

/** Of the checkout, with `+` where it has changes that are not committed; figures are none. */
export function describeCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':!/docs');
    return git('rev-parse', '--short', 'HEAD') + (changes === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}

/** Processor time of the machine since it started. */
interface Load {
  busy: number;
  total: number;
  /** The processor time that the host of a virtual machine gave to others. */
  stolen: number;
}

function readLoad(): Load {
  let busy = 0;
  let total = 0;
  for (const { times } of cpus()) {
    const { idle, ...others } = times;
    const used = Object.values(others).reduce((sum, each) => sum + each, 0);
    busy += used;
    total += used + idle;
  }
  return { busy, total, stolen: readStolen() };
}

/** Ticks of 10 ms (proc_stat(5)) in ms, as `os.cpus` has them. */
function readStolen(): number {
  if (!existsSync('/proc/stat')) return 0;
  const [, ...fields] = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/);
  return Number(fields[7] ?? 0) * 10;
}

const WATCHED_MS = 2_000;
/** Of the machine's processor time, before anything was started. */
const MUCH_BUSY = 0.08;
const MUCH_STOLEN = 0.02;
/** The fastest bare run by the slowest. */
const MUCH_SPREAD = 1.25;

/** Watches what others do on the machine. To be called before anything is started. */
export async function watchOthers(): Promise<{ warnings: string[]; since: () => string[] }> {
  const before = readLoad();
  await pause(WATCHED_MS);
  const at = readLoad();
  const busy = (at.busy - before.busy) / (at.total - before.total);
  const warnings =
    busy > MUCH_BUSY
      ? [
          `Others used ${percent(busy)} of the processors before the start: the figures are too low.`,
        ]
      : [];
  return {
    warnings,
    since() {
      const now = readLoad();
      const stolen = (now.stolen - at.stolen) / (now.total - at.total);
      return stolen > MUCH_STOLEN
        ? [
            `The host kept ${percent(stolen)} of the processors for others: the figures are too low.`,
          ]
        : [];
    },
  };
}

/** @param perSecond of the bare runs */
export function warningsOfSpread(perSecond: number[]): string[] {
  const spread = Math.max(...perSecond) / Math.min(...perSecond);
  if (perSecond.length < 2 || spread <= MUCH_SPREAD) return [];
  return [
    `The fastest bare run was ${spread.toFixed(2)} times the slowest: the machine is too noisy to believe.`,
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
