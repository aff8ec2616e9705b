import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changesOf, parsePosixRule } from '../../src/domain/calendar/zones/posix-rule.ts';
import { segmentIn } from '../../src/domain/calendar/zones/segment.ts';
import { readTzif, type ZoneRules } from '../../src/domain/calendar/zones/tzif.ts';
import { zoneOf } from '../../src/domain/calendar/zones/zone.ts';
import { BUILT_IN } from '../../src/domain/calendar/zones/zone-data.ts';
import { fatFile } from '../support/domain/tzif-files.ts';

function builtInFile(name: string): Buffer {
  return Buffer.from(BUILT_IN.files.get(name) as string, 'base64');
}

function footerOf(file: Buffer): string {
  return file.toString('latin1').split('\n').at(-2)!;
}

function whole(file: Uint8Array, name?: string): ZoneRules {
  const rules = readTzif(file);
  assert.ok(typeof rules !== 'string', `${name}: ${rules}`);
  return rules;
}

/** With a rule and without, north and south, hours beyond a day, a day left out. */
const NAMES = [
  'UTC',
  'Europe/Berlin',
  'America/Winnipeg',
  'America/Havana',
  'America/Nuuk',
  'Asia/Gaza',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Santiago',
  'Antarctica/Troll',
];

test('a file that lists each change to 2037 says the same as one that lists few', () => {
  for (const name of NAMES) {
    const slim = builtInFile(name);
    const fat = fatFile(name, footerOf(slim));
    const rules = whole(fat, name);
    for (let at = Date.UTC(1850, 0); at < Date.UTC(2100, 0); ) {
      const segment = segmentIn(rules, at);
      assert.deepEqual(
        segment,
        zoneOf(name).segmentAt(at),
        `${name} ${new Date(at).toISOString()}`,
      );
      at = segment.endAt;
    }
  }
});

test('wherever a file is cut off, it is refused with a reason', () => {
  for (const name of NAMES) {
    for (const file of [builtInFile(name), fatFile(name, footerOf(builtInFile(name)))]) {
      for (let length = 0; length < file.length; length += 1) {
        assert.match(String(readTzif(file.subarray(0, length))), /^it[s ]/, `${name} ${length}`);
      }
    }
  }
});

test('whatever is broken in a file, it is refused or read, at once', () => {
  const broken = fc.tuple(
    fc.constantFrom(...NAMES),
    fc.array(fc.tuple(fc.nat({ max: 5_000 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    }),
    fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  );
  fc.assert(
    fc.property(broken, ([name, changes, at]) => {
      const file = builtInFile(name);
      for (const [place, byte] of changes) file[place % file.length] = byte;
      const rules = readTzif(file);
      if (typeof rules === 'string') return;
      const { startAt, endAt } = segmentIn(rules, at);
      assert.ok(startAt <= at && at < endAt);
    }),
    { numRuns: 20_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), bytes => {
      assert.equal(typeof readTzif(bytes), 'string');
    }),
  );
});

function changed(name: string, change: (file: Buffer) => Buffer | undefined): unknown {
  const file = builtInFile(name);
  return readTzif(change(file) ?? file);
}

/** Where the second header begins: the first block of these files is as short as it may be. */
const SECOND = 44 + 7;

test('a reason says what is wrong', () => {
  const cases: [RegExp, (file: Buffer) => Buffer | undefined][] = [
    [/it is no TZif file/, file => void file.write('GZif')],
    [/it is of version 1/, file => void file.writeUInt8(0, 4)],
    [/it is of version 1/, file => void file.writeUInt8(0, SECOND + 4)],
    [/it counts leap seconds/, file => void file.writeUInt32BE(27, SECOND + 28)],
    [/it has too many changes/, file => void file.writeUInt32BE(2 ** 31, SECOND + 32)],
    [/it ends too early/, file => void file.writeUInt32BE(2 ** 31, 32 + 8)],
    [/its changes are not in order/, file => void file.writeBigInt64BE(2n ** 62n, SECOND + 44)],
    [/its last line is missing/, file => void file.writeUInt8(0, file.lastIndexOf(10, -2))],
    [/its last line is no rule/, file => footed(file, 'CET-1CEST,M13.5.0,M10.5.0/3')],
    [/its last line contradicts its changes/, file => footed(file, 'EST5EDT,M3.2.0,M11.1.0')],
  ];
  for (const [reason, change] of cases)
    assert.match(String(changed('Europe/Berlin', change)), reason);
});

function footed(file: Buffer, footer: string): Buffer {
  return Buffer.concat([
    file.subarray(0, file.lastIndexOf(10, -2) + 1),
    Buffer.from(`${footer}\n`),
  ]);
}

test('without a rule in its last line, the last offset holds on', () => {
  const rules = whole(footed(builtInFile('Europe/Berlin'), ''));
  const { endAt, offsetMs } = segmentIn(rules, Date.UTC(2500, 6));
  assert.equal(endAt, Number.POSITIVE_INFINITY);
  assert.equal(offsetMs, rules.offsetsMs.at(-1));
});

test('a file of a rule alone, without one change, is read', () => {
  const bare = builtInFile('UTC');
  bare.writeInt32BE(3_600, SECOND + 44);
  const rules = whole(footed(bare, 'CET-1CEST,M3.5.0,M10.5.0/3'));
  for (const at of [Date.UTC(2026, 6), Date.UTC(2026, 11), Date.UTC(9998, 6)]) {
    assert.equal(segmentIn(rules, at).offsetMs, zoneOf('Europe/Berlin').segmentAt(at).offsetMs);
  }
  const old = new Date(0).setUTCFullYear(50, 6, 1);
  assert.equal(segmentIn(rules, old).offsetMs, 7_200_000);
});

test('the rule: each form of a date, of an hour and of an offset', () => {
  const instants = (text: string) =>
    changesOf(parsePosixRule(text)!, 2027, 2028).map(({ at }) => new Date(at).toISOString());
  assert.deepEqual(instants('AAA0BBB,J60/0,J300'), [
    '2027-03-01T00:00:00.000Z',
    '2027-10-27T01:00:00.000Z',
    '2028-03-01T00:00:00.000Z',
    '2028-10-27T01:00:00.000Z',
  ]);
  assert.deepEqual(instants('AAA0BBB,59/0,299'), [
    '2027-03-01T00:00:00.000Z',
    '2027-10-27T01:00:00.000Z',
    '2028-02-29T00:00:00.000Z',
    '2028-10-26T01:00:00.000Z',
  ]);
  assert.deepEqual(instants('<+0530>-5:30<+06>-6:00:00,M2.5.2/-1:30,M12.1.6/167'), [
    '2027-02-22T17:00:00.000Z',
    '2027-12-10T17:00:00.000Z',
    '2028-02-28T17:00:00.000Z',
    '2028-12-08T17:00:00.000Z',
  ]);
  const summer = parsePosixRule('XXX3EDT4,0/0,J365/23');
  assert.deepEqual(summer, { offsetMs: -4 * 3_600_000, changes: [] }, 'summer time all the year');
  for (const text of [
    '',
    'UTC',
    'UT0',
    'UTC25',
    'UTC0:60',
    'UTC0UTC',
    'A<B0',
    'AAA0BBB,M0.1.0,M1.1.0',
    'AAA0BBB,M1.6.0,M2.1.0',
    'AAA0BBB,M1.1.7,M2.1.0',
    'AAA0BBB,J0,J5',
    'AAA0BBB,J366,J5',
    'AAA0BBB,366,5',
    'AAA0BBB,5/168,6',
    'AAA0BBB,5',
    'UTC0\n',
  ]) {
    assert.equal(parsePosixRule(text), null, text);
  }
});
