import type { Attempt } from '../domain/run/run.ts';

/** The kinds of columns: their types, and how a value is written to its cell and read from it. */

/** One value of a row as the database takes it and gives it. */
export type Cell = string | number | null;
/** The cells of a row by the names of their columns. */
export type Row = Record<string, Cell>;

/** Types as PostgreSQL names them. SQLite's tables are made so that each cell comes back as it was given. */
type Type = 'text' | 'bigint' | 'integer';

/** How a property stands in its cell. `$` is the value in `write`, and the cell in `read`. */
interface Kind<Value> {
  readonly type: Type;
  readonly write: string;
  readonly read: string;
  /** NULL is an absent property. */
  readonly isOptional: boolean;
  /** Never set: it lets the compiler compare the kind with the property's type. */
  readonly value?: Value;
}

const kind = (type: Type, write = '$', read = '$') => ({ type, write, read, isOptional: false });

export const text = <Value extends string>(): Kind<Value> => kind('text');
export const integer = (): Kind<number> => kind('integer');
/** Instants (epoch ms) and row ids: both stay far below 2^53. */
export const bigint = (): Kind<number> => kind('bigint');
export const json = <Value extends object>(): Kind<Value> =>
  kind('text', 'JSON.stringify($)', 'JSON.parse($)');
/** Most rows have no attempts to tell of: NULL keeps them narrow. */
export const attempts = (): Kind<Attempt[]> =>
  kind('text', '($.length === 0 ? null : JSON.stringify($))', '($ ? JSON.parse($) : [])');
export const nullable = <Value>(of: Kind<Value>): Kind<Value | null> => of;
export const optional = <Value>(of: Kind<Value>): Kind<Value | undefined> => ({
  ...of,
  write: `($ === undefined ? null : ${of.write})`,
  isOptional: true,
});

/** The compiler asks for each property of `Value`, and for a kind that fits its type. */
type Kinds<Value> = { readonly [Property in keyof Required<Value>]: Kind<Value[Property]> };

/** Columns in one order: for lists in statements, and for the cells of values. */
export class Columns<Value> {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly #kinds: Kinds<Value>;
  readonly #places: ReadonlyMap<string, number>;
  /** Puts the cells of a value behind those that are there. */
  readonly append: (cells: Cell[], value: Value) => void;
  /** The value that a row holds, among whatever other columns. */
  readonly fromRow: (row: Row) => Value;

  constructor(kinds: Kinds<Value>) {
    const properties = entriesOf(kinds);
    this.#kinds = kinds;
    this.#places = new Map(properties.map(([property], index) => [property, index]));
    this.names = properties.map(([property]) => nameOf(property));
    this.types = properties.map(([, { type }]) => type);
    this.append = appendOf<Value>(properties);
    this.fromRow = fromRowOf<Value>(properties);
  }

  get width(): number {
    return this.names.length;
  }

  /** `id, status, …`, each with `prefix` in front. */
  list(prefix = ''): string {
    return this.names.map(name => `${prefix}${name}`).join(', ');
  }

  /** `id = …, status = …`, from the place of each column, counted from 0. */
  assignments(cellOf: (name: string, index: number) => string): string {
    return this.names.map((name, index) => `${name} = ${cellOf(name, index)}`).join(', ');
  }

  /** `?, ?, …`: as many as there are columns. */
  marks(): string {
    return this.names.map(() => '?').join(', ');
  }

  /** @returns new cells, one for each column */
  cells(value: Value): Cell[] {
    const cells: Cell[] = [];
    this.append(cells, value);
    return cells;
  }

  /** The cell of one property among all cells of a value. */
  cellOf(cells: readonly Cell[], property: keyof Value & string): Cell {
    return cells[this.#places.get(property)!]!;
  }

  except<Property extends keyof Value>(...left: Property[]): Columns<Omit<Value, Property>> {
    const kept = Object.entries(this.#kinds).filter(([name]) => !left.includes(name as Property));
    return new Columns(Object.fromEntries(kept) as unknown as Kinds<Omit<Value, Property>>);
  }
}

/**
 * Cells in this order, as a row again. Generated: a loop over the names takes three times as long, and this
 * is done for every firing.
 */
export function rowReader(names: readonly string[]): (cells: Cell[]) => Row {
  const pairs = names.map((name, index) => `${name}: cells[${index}]`);
  return new Function('cells', `return { ${pairs.join(', ')} };`) as (cells: Cell[]) => Row;
}

type Property = [name: string, kind: Kind<unknown>];

function entriesOf<Value>(kinds: Kinds<Value>): Property[] {
  return Object.entries(kinds) as Property[];
}

function nameOf(property: string): string {
  return property.replace(/RowId$/, 'Key').replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** Generated, as `rowReader` is: one call for all cells of a value. */
function appendOf<Value>(properties: Property[]): (cells: Cell[], value: Value) => void {
  const cells = properties.map(([name, { write }]) => write.replaceAll('$', `value.${name}`));
  const body = `cells.push(${cells.join(', ')});`;
  return new Function('cells', 'value', body) as (cells: Cell[], value: Value) => void;
}

/** Generated, as `rowReader` is: required properties first, and then those that are there. */
function fromRowOf<Value>(properties: Property[]): (row: Row) => Value {
  const readOf = ([name, { read }]: Property) => read.replaceAll('$', `row.${nameOf(name)}`);
  const required = properties.filter(([, { isOptional }]) => !isOptional);
  const optional = properties.filter(([, { isOptional }]) => isOptional);
  const body = [
    `const value = { ${required.map(each => `${each[0]}: ${readOf(each)}`).join(', ')} };`,
    ...optional.map(each => {
      const [name] = each;
      return `if (row.${nameOf(name)} != null) value.${name} = ${readOf(each)};`;
    }),
    'return value;',
  ];
  return new Function('row', body.join('\n')) as (row: Row) => Value;
}
