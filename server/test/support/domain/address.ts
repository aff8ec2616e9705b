import fc from 'fast-check';
import { ALLOW_PUBLIC, judgeAddress } from '../../../src/domain/schedule/target.ts';

/** Addresses at random, and what is said of one, for the tests of addresses and of urls. */

const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 255 })));
export const dotted = (bytes: number[]) => bytes.join('.');
/** Anywhere, and near the borders of the special ranges, where a wrong mask would show. */
export const ipv4 = fc.oneof(
  octets,
  fc
    .tuple(
      fc.constantFrom(10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255),
      fc.constantFrom(0, 15, 16, 31, 32, 51, 63, 64, 88, 127, 128, 167, 168, 169, 254, 255),
      fc.constantFrom(0, 1, 2, 99, 100, 113, 169, 255),
      fc.integer({ min: 0, max: 255 }),
    )
    .map(bytes => [...bytes]),
);
export const hextets = fc.array(fc.integer({ min: 0, max: 0xffff }), {
  minLength: 8,
  maxLength: 8,
});
export const colons = (groups: number[]) => groups.map(group => group.toString(16)).join(':');

export function outcome(address: string, allow = ALLOW_PUBLIC): string {
  const verdict = judgeAddress(address, allow);
  return verdict.allowed ? 'allowed' : `${verdict.never ? 'never' : 'refused'}: ${verdict.reason}`;
}
