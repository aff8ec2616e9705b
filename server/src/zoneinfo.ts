import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Logger } from 'pino';
import { readTzif } from './domain/calendar/zones/tzif.ts';
import { ALIASES, BUILT_IN, type ZoneData } from './domain/calendar/zones/zone-data.ts';
import { PunctualError } from './domain/errors.ts';

/**
 * The rules that times are counted with.
 *
 * @param folder of PUNCTUAL_ZONEINFO; '': the built-in ones
 * @throws PunctualError as `readZoneinfo`
 */
export function zonesFor(folder: string, log: Pick<Logger, 'warn'>): ZoneData {
  if (folder === '') return BUILT_IN;
  const zones = readZoneinfo(folder);
  const { release } = zones;
  if (IANA_RELEASE.test(release) && release < BUILT_IN.release) {
    log.warn({ tzdata: release }, 'the rules of PUNCTUAL_ZONEINFO are older than those built in');
  }
  return zones;
}

/**
 * The rules of PUNCTUAL_ZONEINFO: a folder of TZif files, such as `/usr/share/zoneinfo`.
 *
 * Every file is read here once, so that a broken one ends the start and not a schedule. A name that is
 * built in and stands in the folder under its other name alone (some systems pack aliases apart) is
 * accepted too: a schedule that has it goes on.
 *
 * @throws PunctualError `setting_invalid` where the folder or a file cannot be read, is broken, or a zone
 * that is built in has none
 */
export function readZoneinfo(folder: string): ZoneData {
  const files = new Map<string, Uint8Array>();
  for (const name of namesIn(folder)) {
    const file = read(join(folder, name));
    const rules = readTzif(file);
    if (typeof rules === 'string') throw unusable(`${join(folder, name)} is broken: ${rules}.`);
    files.set(name.split(sep).join('/'), file);
  }
  if (files.size === 0) throw unusable(`${folder} has no TZif files.`);
  for (const [alias, name] of Object.entries(ALIASES)) {
    const file = files.get(alias) ?? files.get(name);
    if (file !== undefined) files.set(alias, file);
  }
  const missing = [...BUILT_IN.files.keys()].filter(name => !files.has(name));
  if (missing.length > 0) {
    throw unusable(`${folder} lacks ${missing.length} zones, ${missing[0]} among them.`);
  }
  return { release: releaseOf(folder), files };
}

const IANA_RELEASE = /^\d{4}[a-z]$/;

/** Other files have a dot or begin with a small letter. `Factory` is no zone that a machine is set to. */
const NAME = /^(?!Factory$)[A-Z][\w+-]*(?:\/[\w+-]+)*$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => !entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, sep).length))
      .filter(name => NAME.test(name.split(sep).join('/')))
      .sort();
  } catch (cause) {
    throw unusable(`${folder} cannot be read.`, cause);
  }
}

function read(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unusable(`${path} cannot be read.`, cause);
  }
}

/** `tzdata.zi` begins with `# version 2026f`; macOS has a file of its own. */
function releaseOf(folder: string): string {
  for (const [file, pattern] of [
    ['tzdata.zi', /^# version (\S{1,32})$/m],
    ['+VERSION', /^(\S{1,32})$/m],
  ] as const) {
    try {
      const [, release] = pattern.exec(readFileSync(join(folder, file), 'latin1')) ?? [];
      if (release !== undefined && RELEASE.test(release)) return release;
    } catch {
      // Not every system has them.
    }
  }
  return 'unknown';
}

/** It becomes a header's value and a label's. */
const RELEASE = /^[\w.+-]+$/;

function unusable(sentence: string, cause?: unknown): PunctualError {
  return new PunctualError('setting_invalid', `PUNCTUAL_ZONEINFO: ${sentence}`, { cause });
}
