import { readTzif, type ZoneRules } from './tzif.ts';
import builtIn from './zone-rules.json' with { type: 'json' };

/** One release of the IANA database: names, aliases included, and what their clocks do. */
export interface ZoneData {
  /** Such as `2026f`, or `unknown`. */
  readonly release: string;
  /** Sorted. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** @param name one that it has */
  rulesOf(name: string): ZoneRules;
}

/**
 * @param files TZif files by name, known to be whole: each is read when its zone is first asked for,
 * because most services need a few of 600
 */
export function zoneDataOf(
  release: string,
  files: ReadonlyMap<string, () => Uint8Array>,
): ZoneData {
  return {
    release,
    names: [...files.keys()].sort(),
    has: name => files.has(name),
    rulesOf(name) {
      const rules = readTzif(files.get(name)!());
      if (typeof rules === 'string') throw new Error(`The rules of ${name} are broken: ${rules}.`);
      return rules;
    },
  };
}

const zones: Record<string, string> = builtIn.zones;
const aliases: [string, string][] = Object.entries(builtIn.aliases);
const texts = new Map([
  ...Object.entries(zones),
  ...aliases.map(([alias, name]): [string, string] => [alias, zones[name]!]),
]);

/** The rules that came with this release of Punctual (scripts/timezones.ts makes the file). */
export const BUILT_IN: ZoneData = zoneDataOf(
  builtIn.release,
  new Map([...texts].map(([name, text]) => [name, () => Buffer.from(text, 'base64')])),
);
