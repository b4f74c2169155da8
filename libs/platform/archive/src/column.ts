/** Types of a single value. `text` is UTF-8; whole numbers are signed. */
export type ScalarType = 'int16' | 'int32' | 'int64' | 'text' | 'blob' | 'bool';

/** A column of a file. Each may have nulls. `{ list }`: a list of structs whose fields are all text. */
export interface Column {
  readonly name: string;
  readonly type: ScalarType | { readonly list: readonly string[] };
}

/** An element of a list of structs: every field by its name, null where it has none. */
export type StructValue = Readonly<Record<string, string | null>>;

/** A value of a column: numbers for whole numbers up to 2^53, Uint8Array for `blob`. */
export type CellValue = string | number | boolean | Uint8Array | readonly StructValue[] | null;

/** Values in the order of the columns. */
export type Row = readonly CellValue[];

const SQL: Readonly<Record<ScalarType, string>> = {
  int16: 'SMALLINT',
  int32: 'INTEGER',
  int64: 'BIGINT',
  text: 'VARCHAR',
  blob: 'BLOB',
  bool: 'BOOLEAN',
};

/** The type as DuckDB writes it, as in `BIGINT` or `STRUCT("price" VARCHAR)[]`. */
export function sqlTypeOf({ type }: Column): string {
  return typeof type === 'string' ? SQL[type] : `STRUCT(${type.list.map((field) => `${identifier(field)} VARCHAR`).join(', ')})[]`;
}

/** A name as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as an SQL literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
