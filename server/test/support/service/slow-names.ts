import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** @returns why names cannot be made slow here, or null where they can */
export function whyNoSlowNames(): string | null {
  if (process.platform !== 'linux') return 'SLOW NAMES NOT TESTED: they need Linux (LD_PRELOAD)';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'SLOW NAMES NOT TESTED: there is no C compiler (cc) here';
  }
}

/**
 * The environment of a process in which the system's resolver takes so long for every name in slow.test.
 *
 * @param folder where the library is made
 */
export function slowNames(folder: string, seconds: number): Record<string, string> {
  const library = join(folder, 'slow-names.so');
  const source = join(import.meta.dirname, 'slow-names.c');
  execFileSync('cc', ['-O1', '-Wall', '-Werror', '-shared', '-fPIC', '-o', library, source]);
  return { LD_PRELOAD: library, SLOW_NAMES: String(seconds) };
}
