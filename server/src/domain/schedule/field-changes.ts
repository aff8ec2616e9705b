/** The difference between two states of a thing, property by property, as people read it. */

export interface FieldChange {
  /** The way to the property. */
  way: string[];
  /** Absent where it was not there. */
  before?: unknown;
  /** Absent where it is gone. */
  after?: unknown;
}

/**
 * The properties that differ, in the order of their names. Objects are compared property by property at every depth; arrays
 * are whole values.
 *
 * @param before, after JSON values
 */
export function fieldChanges(before: object, after: object): FieldChange[] {
  return changesIn([], before as Values, after as Values);
}

type Values = Record<string, unknown>;

function changesIn(way: string[], before: Values, after: Values): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].sort().flatMap(name => changesAt([...way, name], before[name], after[name]));
}

function changesAt(way: string[], before: unknown, after: unknown): FieldChange[] {
  if (isObject(before) && isObject(after)) return changesIn(way, before, after);
  if (isSame(before, after)) return [];
  return [{ way, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isSame(each, other[at]));
  }
  if (isObject(one) && isObject(other)) return changesIn([], one, other).length === 0;
  return one === other;
}

const MOST_CHARACTERS = 1_000;

/** The value with its long texts cut. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.length <= MOST_CHARACTERS) return value;
    return `${value.slice(0, MOST_CHARACTERS).toWellFormed()}…`;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}
