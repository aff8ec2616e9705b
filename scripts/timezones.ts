/**
 * Writes server/src/domain/calendar/zones/zone-rules.json: the names that a schedule's `timezone` may have, and the
 * rules of each as a TZif file.
 *
 * Run it (`node scripts/timezones.ts`) after an update of moment-timezone, whose data follows the IANA
 * database; a test says when the file is behind. That data lists every change to the year 2499; here a
 * rule stands for those that come every year, and so for all years after them. `Factory` is no zone
 * that a machine is set to.
 */
import { writeFileSync } from 'node:fs';
import moment from 'moment-timezone';
import latest from 'moment-timezone/data/packed/latest.json' with { type: 'json' };
import { tzifOf } from './tzif.ts';

const rows = latest.zones.map(packed => moment.tz.unpack(packed));
const zones = rows
  .filter(({ name }) => name !== 'Factory')
  .map(({ name, abbrs, offsets, untils }): [string, string] => [
    name,
    tzifOf(
      untils.filter(Number.isFinite).map(ms => Math.round(ms / 1_000)),
      offsets.map((minutes, index) => ({
        offset: -Math.round(minutes * 60),
        abbreviation: abbrs[index]!,
      })),
    ).toString('base64'),
  ]);
const aliases = latest.links.map(link => link.split('|').reverse() as [string, string]);

const data = {
  release: latest.version,
  zones: Object.fromEntries(zones.sort(byName)),
  aliases: Object.fromEntries(aliases.sort(byName)),
};
const file = new URL('../server/src/domain/calendar/zones/zone-rules.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`);

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : 1;
}
