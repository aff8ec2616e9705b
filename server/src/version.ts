import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** One source of the version: the package has it, and all that tells it asks here. */

const PACKAGE = new URL('../package.json', import.meta.url);
/** Written where the package is built. */
const BUILT_FROM = new URL('./built-from.json', import.meta.url);

export const VERSION = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;

/** The commit that the package was built from, or that is checked out; null where neither is known. */
export function commit(): string | null {
  if (existsSync(BUILT_FROM)) return JSON.parse(readFileSync(BUILT_FROM, 'utf8')).commit;
  try {
    const answer = execFileSync('git', ['rev-parse', '--show-prefix', '--short=7', 'HEAD'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [prefix, hash] = answer.trim().split('\n');
    // An archive may stand in the repository of something else.
    return prefix === 'server/src/' ? hash! : null;
  } catch {
    return null;
  }
}
