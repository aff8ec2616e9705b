import moment from 'moment-timezone';

/**
 * TZif files as `zic -b fat` writes them, made from moment-timezone's lists by other code than that of the
 * built-in ones: every change to 2090 (some zones have a list that long) stands in both blocks, with
 * indicators, and the rule behind them.
 */
export function fatFile(name: string, footer: string): Buffer {
  const { untils, offsets, abbrs } = moment.tz.zone(name)!;
  const times = untils
    .filter(at => Number.isFinite(at) && at < Date.UTC(2090, 0))
    .map(at => Math.round(at / 1_000));
  const steps = offsets.slice(0, times.length + 1).map((minutes, index) => ({
    offset: -Math.round(minutes * 60),
    name: abbrs[index]!,
  }));
  return Buffer.concat([
    block(times.map(at => Math.max(at, -(2 ** 31))).filter(unique), steps, 4),
    block(times, steps, 8),
    Buffer.from(`\n${footer}\n`),
  ]);
}

function unique(at: number, index: number, all: number[]): boolean {
  return all.indexOf(at) === index;
}

function block(times: number[], steps: { offset: number; name: string }[], timeBytes: 4 | 8) {
  const last = steps.slice(-times.length - 1);
  const kinds = [...new Set(last.map(({ offset, name }) => `${offset} ${name}`))];
  const header = Buffer.alloc(44);
  header.write('TZif3');
  const characters = Buffer.from(kinds.map(kind => `${kind.split(' ')[1]}\0`).join(''));
  const counts = [kinds.length, kinds.length, 0, times.length, kinds.length, characters.length];
  for (const [index, count] of counts.entries()) header.writeUInt32BE(count, 20 + index * 4);
  const instants = Buffer.alloc(times.length * timeBytes);
  for (const [index, at] of times.entries()) {
    if (timeBytes === 8) instants.writeBigInt64BE(BigInt(at), index * 8);
    else instants.writeInt32BE(Math.min(at, 2 ** 31 - 1), index * 4);
  }
  const types = kinds.map(kind => {
    const type = Buffer.alloc(6);
    type.writeInt32BE(Number(kind.split(' ')[0]));
    return type;
  });
  const [, ...indexes] = last.map(({ offset, name }) => kinds.indexOf(`${offset} ${name}`));
  const indicators = Buffer.alloc(2 * kinds.length);
  return Buffer.concat([header, instants, Buffer.from(indexes), ...types, characters, indicators]);
}
