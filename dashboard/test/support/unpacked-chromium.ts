import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** In the checkout: two checkouts, or two users, share nothing. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');
/** The package unpacks into the folder of temporary files, and takes what is there for whole. */
const UNPACK = `await (await import('@sparticuz/chromium')).default.executablePath()`;

/**
 * The path of a whole Chromium. Test files that run side by side unpack it each into a folder of their own; the first
 * one that is whole gets the name, and the others go.
 */
export async function unpackedChromium(): Promise<string> {
  const place = join(CACHE, `chromium-${await versionOfPackage()}`);
  if (!existsSync(place)) await unpackTo(place);
  return join(place, 'chromium');
}

async function versionOfPackage(): Promise<string> {
  const file = join(
    dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))),
    '../package.json',
  );
  return JSON.parse(await readFile(file, 'utf8')).version;
}

async function unpackTo(place: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(`${place}-`);
  try {
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: folder },
    });
    await rename(folder, place);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(place)) throw error;
  }
}
