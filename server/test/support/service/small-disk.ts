import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A real file system with little room: a mount of its own, where the system permits one. */
export interface SmallDisk {
  path: string;
  /** Takes all the room that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Takes no writes from now on. */
  makeReadOnly(): void;
}

/** Why there is none here; false where there is. */
export const noSmallDisk = whyNot();

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'only on Linux a test can mount a small disk';
  const path = mkdtempSync(join(tmpdir(), 'punctual-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]);
  if (status === 0) spawnSync('umount', [path]);
  rmdirSync(path);
  return status === 0 ? false : 'this user may not mount a small disk';
}

export function smallDisk(context: TestContext): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'punctual-disk-'));
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path]);
  context.after(() => {
    // What still has a file open there is ended by another hook.
    spawnSync('umount', ['--lazy', path]);
    rmdirSync(path);
  });
  const filling = join(path, 'filling');
  return {
    path,
    fill() {
      const bytes = Buffer.alloc(4_096);
      try {
        for (;;) writeFileSync(filling, bytes, { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(filling),
    makeReadOnly() {
      const { status } = spawnSync('mount', ['-o', 'remount,ro', path]);
      if (status !== 0) throw new Error('the disk stays writable');
    },
  };
}
