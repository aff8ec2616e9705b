/** The parts of packages without types that tests use. */

declare module 'gifenc' {
  interface Frame {
    palette?: number[][];
    /** Ms. */
    delay?: number;
    transparent?: boolean;
    transparentIndex?: number;
    dispose?: number;
    /** 0: for ever. */
    repeat?: number;
  }
  interface Encoder {
    writeFrame(indexed: Uint8Array, width: number, height: number, frame: Frame): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  const gifenc: {
    GIFEncoder(): Encoder;
    quantize(rgba: Uint8Array, colours: number, options: { format: 'rgb565' }): number[][];
    applyPalette(rgba: Uint8Array, palette: number[][], format: 'rgb565'): Uint8Array;
  };
  export default gifenc;
}

declare module 'pngjs' {
  export const PNG: {
    sync: { read(png: Buffer): { width: number; height: number; data: Buffer } };
  };
}
