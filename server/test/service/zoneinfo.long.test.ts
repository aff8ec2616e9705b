import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { ALIASES, BUILT_IN } from '../../src/domain/calendar/zones/zone-data.ts';
import { readZoneinfo } from '../../src/zoneinfo.ts';
import { emptyFolder, urlOf } from '../support/service/command.ts';

const KEY = { PUNCTUAL_CLIENT_ID: 'ada', PUNCTUAL_API_KEY: 'the-key-of-ada-lovelace' };

function builtIn(name: string): Buffer {
  return Buffer.from(BUILT_IN.files.get(name) as string, 'base64');
}

/**
 * A folder of the built-in rules, in which Winnipeg keeps the clock of Chicago, as in the releases before
 * 2026d.
 */
function zoneinfo(context: TestContext, { version = '# version 2026c\n' } = {}) {
  const { path } = emptyFolder(context);
  const folder = join(path, 'zoneinfo');
  const write = (name: string, bytes: Buffer | string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(file, bytes);
  };
  for (const name of BUILT_IN.files.keys()) {
    if (ALIASES[name] === undefined) write(name, builtIn(name));
  }
  write('America/Winnipeg', builtIn('America/Chicago'));
  write('tzdata.zi', version);
  write('zone.tab', 'no zone');
  write('posix/Europe/Berlin', 'no zone that is read');
  return { folder, write };
}

async function previewAt(base: string, timezone: string): Promise<string[]> {
  const headers = {
    ClientId: KEY.PUNCTUAL_CLIENT_ID,
    ApiKey: KEY.PUNCTUAL_API_KEY,
    'Content-Type': 'application/json',
  };
  const asked = { interval: '0 12 * * *', timezone, from: '2026-11-24T00:00:00Z', count: 1 };
  const request = { method: 'POST', headers, body: JSON.stringify(asked) };
  const answer = await fetch(`${base}/v1/preview`, request);
  return ((await answer.json()) as { times: string[] }).times;
}

describe('the rules of time zones', () => {
  test('a service counts by the folder that it is given, and says by which release', async context => {
    for (const [release, noon, environment] of [
      [BUILT_IN.release, '2026-11-24T17:00:00.000Z', {}],
      ['2026c', '2026-11-24T18:00:00.000Z', { PUNCTUAL_ZONEINFO: zoneinfo(context).folder }],
    ] as const) {
      const folder = emptyFolder(context);
      const service = await folder.start(['serve'], /"url":"/, { ...KEY, ...environment });
      assert.match(service.out(), new RegExp(`"tzdata":"${release}","msg":"listening"`));
      const isOlder = release !== BUILT_IN.release;
      assert.equal(/are older than those built in/.test(service.out()), isOlder);
      const base = urlOf(service.out());
      for (const name of ['America/Winnipeg', 'Canada/Central']) {
        assert.deepEqual(await previewAt(base, name), [noon], `${release} ${name}`);
      }
      const timezones = await fetch(`${base}/timezones`);
      assert.equal(timezones.headers.get('Punctual-Tzdata'), release);
      assert.equal(((await timezones.json()) as string[]).length, 597);
      const metrics = await (await fetch(`${base}/metrics`)).text();
      assert.match(
        metrics,
        new RegExp(`punctual_build_info{version="[^"]+",tzdata="${release}"} 1`),
      );
      await service.stop();
    }
  });

  test('a folder that cannot be used ends the start with one sentence', async context => {
    const { folder, write } = zoneinfo(context);
    const { path, run } = emptyFolder(context);
    const sentence = async (zones: string) => {
      const { code, out, err } = await run(['serve'], { PUNCTUAL_ZONEINFO: zones });
      assert.notEqual(code, 0);
      return out + err;
    };
    assert.match(await sentence(join(path, 'none')), /PUNCTUAL_ZONEINFO: .*none cannot be read\./);
    assert.match(await sentence(path), /PUNCTUAL_ZONEINFO: .* has no TZif files\./);
    write('Europe/Berlin', builtIn('Europe/Berlin').subarray(0, 200));
    assert.match(await sentence(folder), /Berlin is broken: it ends too early\./);
    rmSync(join(folder, 'Europe/Berlin'));
    assert.match(await sentence(folder), /lacks \d+ zones, Europe\/Berlin among them\./);
  });
});

test('names are those of the folder, and the aliases of what it has', context => {
  const { folder, write } = zoneinfo(context);
  write('Mars/Olympus_Mons', builtIn('UTC'));
  write('Factory', builtIn('UTC'));
  write('America/localtime.bak', 'no zone');
  symlinkSync(join(folder, 'Europe/Paris'), join(folder, 'Europe/Lutetia'));
  const { files } = readZoneinfo(folder);
  const more = [...files.keys()].filter(name => !BUILT_IN.files.has(name));
  assert.deepEqual(more.sort(), ['Europe/Lutetia', 'Mars/Olympus_Mons']);
  assert.deepEqual(files.get('Canada/Central'), files.get('America/Winnipeg'));
  const missing = [...BUILT_IN.files.keys()].filter(name => !files.has(name));
  assert.deepEqual(missing, []);
});

test('the release is what tzdata.zi or +VERSION says, or unknown', context => {
  const { folder, write } = zoneinfo(context, { version: '# redistributed by somebody\n' });
  assert.equal(readZoneinfo(folder).release, 'unknown');
  write('+VERSION', '2027a\n');
  assert.equal(readZoneinfo(folder).release, '2027a');
  write('tzdata.zi', '# version 2027b-rearguard\n# more\n');
  assert.equal(readZoneinfo(folder).release, '2027b-rearguard');
  write('tzdata.zi', '# version "2027"\n');
  assert.equal(readZoneinfo(folder).release, '2027a');
});

test('a start under another release counts waiting times anew, and tells who moves', async context => {
  const folder = emptyFolder(context);
  const older = { ...KEY, PUNCTUAL_ZONEINFO: zoneinfo(context).folder };
  const headers = {
    ClientId: KEY.PUNCTUAL_CLIENT_ID,
    ApiKey: KEY.PUNCTUAL_API_KEY,
    'Content-Type': 'application/json',
  };
  const first = await folder.start(['serve'], /"url":"/, older);
  const body = JSON.stringify({
    url: 'https://example.com/hook',
    verb: 'POST',
    interval: '0 12 * * *',
    timezone: 'America/Winnipeg',
    label: 'noon',
  });
  const request = { method: 'POST', headers, body };
  const made = await fetch(`${urlOf(first.out())}/v1/schedule`, request);
  assert.equal(made.status, 200);
  await first.stop();
  // Zones are kept at a start: this one keeps that of the schedule.
  const second = await folder.start(['serve'], /"url":"/, older);
  await second.stop();
  const both = /have changed[\s\S]*"url":"|"url":"[\s\S]*have changed/;
  const third = await folder.start(['serve'], both, KEY);
  const line = third
    .out()
    .split('\n')
    .find(text => text.includes('have changed'));
  const { tzdata, previous, zones } = JSON.parse(line!);
  assert.deepEqual([tzdata, previous, zones], [BUILT_IN.release, '2026c', ['America/Winnipeg']]);
  const answer = await fetch(`${urlOf(third.out())}/v1/tzdata`, { headers });
  const report = (await answer.json()) as { previousVersion: string; zones: object[] };
  assert.equal(report.previousVersion, '2026c');
  assert.equal(report.zones.length, 1);
  assert.equal(await third.stop(), 0);
});
