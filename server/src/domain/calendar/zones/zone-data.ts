import { readTzif, type ZoneRules } from './tzif.ts';
import builtIn from './zone-rules.json' with { type: 'json' };

/** One release of the IANA database, as threads can hand it to each other. */
export interface ZoneData {
  /** Such as `2026f`, or `unknown`. */
  readonly release: string;
  /** Whole TZif files by name, aliases included; a text is base64. */
  readonly files: ReadonlyMap<string, Uint8Array | string>;
}

/**
 * Most services need few of 600 zones, so each is read when its zone is first asked for.
 *
 * @param name one that `data` has
 */
export function rulesIn(data: ZoneData, name: string): ZoneRules {
  const file = data.files.get(name)!;
  const rules = readTzif(typeof file === 'string' ? Buffer.from(file, 'base64') : file);
  if (typeof rules === 'string') throw new Error(`The rules of ${name} are broken: ${rules}.`);
  return rules;
}

/** The built-in zones by their aliases: a folder need not have these. */
export const ALIASES: Readonly<Record<string, string>> = builtIn.aliases;

const zones: Readonly<Record<string, string>> = builtIn.zones;

/** The rules that came with this release of Punctual (scripts/timezones.ts makes the file). */
export const BUILT_IN: ZoneData = {
  release: builtIn.release,
  files: new Map([
    ...Object.entries(zones),
    ...Object.entries(ALIASES).map(([alias, name]): [string, string] => [alias, zones[name]!]),
  ]),
};
