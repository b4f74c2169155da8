import { API_KEY_HEADER_NAME, API_KEY_VARIABLE } from '../../../serving/answers/curl-command';
import type { Column, Shape, ColumnType } from './shape';

/** Large enough for a page of 5,000 books in one file. */
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

/** Each item as JSON in the column `item`. */
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

/** DuckDB query that reads a saved response as a table. */
export function duckdbTable(shape: Shape, file: string): string {
  if (shape.levels !== undefined) return levelsOf(shape, file);
  return [`SELECT ${shape.columns.map(selectColumn).join(',\n  ')}`, `FROM (${itemsOf(file, shape.itemsIn)})`].join('\n');
}

function valueOf({ path }: Column): string {
  const [first = '', ...rest] = path;
  return rest.reduce((value, name) => `${value}.get("${name}")`, `item.get("${first}")`);
}

function entriesOf(columns: readonly Column[]): string {
  return columns.map((column) => `"${column.name}": ${valueOf(column)}`).join(', ');
}

/** Python lines that append the rows of `body` to the list `rows`. */
function appendRows({ itemsIn, columns, levels }: Shape): string[] {
  const items = itemsIn === 'body' ? '[body]' : 'body["rows"] or []';
  if (levels === undefined) return [`for item in ${items}:`, `    rows.append({${entriesOf(columns)}})`];
  const sides = levels.path.reduce((value, name) => `${value}["${name}"]`, 'item');
  const [price, size] = levels.as === 'objects' ? ['entry["price"]', 'entry["size"]'] : ['entry[0]', 'entry[1]'];
  return [
    `for item in ${items}:`,
    '    for side in ("bids", "asks"):',
    `        for level, entry in enumerate(${sides}[side][:${levels.levelsMax}], 1):`,
    `            rows.append({${entriesOf(columns)}, "side": side[:-1], "level": level, "price": ${price}, "size": ${size}})`,
  ];
}

/** Standard library only: reads all pages of a URL into the list `rows`, one dictionary per table line. */
export function pythonRows(url: string, shape: Shape, paged: boolean, imports: readonly string[] = []): string[] {
  const modules = ['json', 'os', ...(paged ? ['urllib.parse'] : []), 'urllib.request', ...imports].sort();
  const fetch = [
    'with urllib.request.urlopen(urllib.request.Request(page, headers=headers), timeout=30) as response:',
    '    body = json.load(response)',
  ];
  const lines = paged
    ? [
        'page = url',
        'while page:',
        ...[
          ...fetch,
          ...appendRows(shape),
          'cursor = body["next_cursor"]',
          'page = url + "&cursor=" + urllib.parse.quote(cursor) if cursor else None',
        ].map((line) => `    ${line}`),
      ]
    : ['page = url', ...fetch, ...appendRows(shape)];
  return [
    ...modules.map((name) => `import ${name}`),
    '',
    `url = "${url}"`,
    `headers = {"${API_KEY_HEADER_NAME}": os.environ["${API_KEY_VARIABLE}"]}`,
    'rows = []',
    ...lines,
  ];
}
