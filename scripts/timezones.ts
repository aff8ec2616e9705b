/**
 * Writes server/src/domain/timezones.json: the names that a schedule's `timezone` may have.
 *
 * Run it (`node scripts/timezones.ts`) after an update of moment-timezone; a test says when the
 * file is behind. Zones and links are both names; `Factory` is none that a machine is set to.
 */
import { writeFileSync } from 'node:fs';
import latest from 'moment-timezone/data/packed/latest.json' with { type: 'json' };

const zones = latest.zones.map(zone => zone.slice(0, zone.indexOf('|')));
const links = latest.links.flatMap(link => link.split('|'));
const names = new Set([...zones, ...links]);
names.delete('Factory');

const file = new URL('../server/src/domain/timezones.json', import.meta.url);
writeFileSync(file, `${JSON.stringify([...names].sort(), null, 2)}\n`);
