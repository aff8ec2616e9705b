import gifenc from 'gifenc';
import { PNG } from 'pngjs';

const { GIFEncoder, quantize, applyPalette } = gifenc;

/** One of them means: as in the picture before. */
const COLOURS = 255;

/**
 * An endless GIF. A picture after the first has only the pixels that changed.
 *
 * @param pictures PNGs of one size
 */
export function encodeGif(pictures: Buffer[], delayMs: number): Uint8Array {
  const frames = pictures.map(picture => PNG.sync.read(picture));
  const { width, height } = frames[0]!;
  // One palette for all: with one for each, all that stands still would flicker.
  const sample = Buffer.concat([frames[0]!.data, frames.at(-1)!.data]);
  const palette = quantize(sample, COLOURS, { format: 'rgb565' });
  const transparent = palette.length;
  const colours = [...palette, [0, 0, 0]];
  const gif = GIFEncoder();
  let before: Uint8Array | undefined;
  for (const { data } of frames) {
    const indexed = applyPalette(data, palette, 'rgb565');
    const changed =
      before && indexed.map((each, at) => (each === before![at] ? transparent : each));
    gif.writeFrame(changed ?? indexed, width, height, {
      delay: delayMs,
      transparentIndex: transparent,
      ...(changed ? { transparent: true, dispose: 1 } : { palette: colours, repeat: 0 }),
    });
    before = indexed;
  }
  gif.finish();
  return gif.bytes();
}
