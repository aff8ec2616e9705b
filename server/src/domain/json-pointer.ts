/** JSON Pointer (RFC 6901): the value that a pointer names in a document. */

/** A value that is there, whatever it is. */
export interface PointedValue {
  value: unknown;
}

/** @param pointer a valid one. @returns null where it names nothing */
export function valueAt(document: unknown, pointer: string): PointedValue | null {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return null;
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value) && !INDEX.test(key)) return null;
    if (!Object.hasOwn(value, key)) return null;
    value = (value as Record<string, unknown>)[key];
  }
  return { value };
}

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

const INDEX = /^(?:0|[1-9]\d*)$/;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
