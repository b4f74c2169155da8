import type { Column, ColumnType, Shape } from './shape';

/** A file of one answer can hold a page of 5,000 books. */
const OBJECT_BYTES_MAX = 67_108_864;

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  decimal: 'DECIMAL(38, 18)',
  time: 'TIMESTAMP',
  integer: 'BIGINT',
  number: 'DOUBLE',
  list: 'VARCHAR[]',
  json: 'VARCHAR',
};

function jsonPath(path: readonly string[]): string {
  return `'$.${path.join('.')}'`;
}

function selectColumn({ name, path, type }: Column): string {
  if (type === 'list') return `CAST(item -> ${jsonPath(path)} AS ${SQL_TYPES[type]}) AS ${name}`;
  const text = `item ->> ${jsonPath(path)}`;
  return type === 'text' || type === 'json' ? `${text} AS ${name}` : `CAST(${text} AS ${SQL_TYPES[type]}) AS ${name}`;
}

/** A query of the items of an answer in a file, each as JSON in the column `item`. */
export function itemsOf(file: string, itemsIn: Shape['itemsIn']): string {
  if (itemsIn === 'body') return `SELECT json AS item FROM read_json_objects('${file}', maximum_object_size = ${OBJECT_BYTES_MAX})`;
  return `SELECT unnest(rows) AS item FROM read_json('${file}', columns = {rows: 'JSON[]'}, maximum_object_size = ${OBJECT_BYTES_MAX})`;
}

function levelsOf({ columns, levels, itemsIn }: Shape, file: string): string {
  const { path, as, levelsMax } = levels ?? { path: [], as: 'objects', levelsMax: 0 };
  const [price, size] = as === 'objects' ? ["'$.price'", "'$.size'"] : ["'$[0]'", "'$[1]'"];
  const side = (name: 'bids' | 'asks') => {
    const list = `CAST(item -> ${jsonPath([...path, name])} AS JSON[])[1:${levelsMax}]`;
    return `  SELECT item, '${name.slice(0, -1)}' AS side, generate_subscripts(${list}, 1) AS level, unnest(${list}) AS entry FROM items`;
  };
  const selected = [
    ...columns.map(selectColumn),
    'side',
    'level',
    `CAST(entry ->> ${price} AS DECIMAL(38, 18)) AS price`,
    `CAST(entry ->> ${size} AS DECIMAL(38, 18)) AS size`,
  ];
  return [
    `WITH items AS (`,
    `  ${itemsOf(file, itemsIn)}`,
    '), levels AS (',
    side('bids'),
    '  UNION ALL',
    side('asks'),
    ')',
    `SELECT ${selected.join(',\n  ')}`,
    'FROM levels',
  ].join('\n');
}

/** A DuckDB query that reads an answer in a file as a table. */
export function duckdbTable(shape: Shape, file: string): string {
  if (shape.levels !== undefined) return levelsOf(shape, file);
  return [`SELECT ${shape.columns.map(selectColumn).join(',\n  ')}`, `FROM (${itemsOf(file, shape.itemsIn)})`].join('\n');
}
