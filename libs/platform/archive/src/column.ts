/** `text` is UTF-8; integers are signed. */
export type ScalarType = 'int16' | 'int32' | 'int64' | 'text' | 'blob' | 'bool';

/** Nullable column. `{ list }` is a list of structs with text fields. */
export interface Column {
  readonly name: string;
  readonly type: ScalarType | { readonly list: readonly string[] };
}

export type StructValue = Readonly<Record<string, string | null>>;

/** Integers up to 2^53 are numbers, `blob` is a Uint8Array. */
export type CellValue = string | number | boolean | Uint8Array | readonly StructValue[] | null;

export type Row = readonly CellValue[];

const SQL: Readonly<Record<ScalarType, string>> = {
  int16: 'SMALLINT',
  int32: 'INTEGER',
  int64: 'BIGINT',
  text: 'VARCHAR',
  blob: 'BLOB',
  bool: 'BOOLEAN',
};

export function sqlTypeOf({ type }: Column): string {
  return typeof type === 'string' ? SQL[type] : `STRUCT(${type.list.map((field) => `${identifier(field)} VARCHAR`).join(', ')})[]`;
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
