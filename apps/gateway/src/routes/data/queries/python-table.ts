import { API_KEY_HEADER_NAME, API_KEY_VARIABLE } from '../../../serving/answers/shell';
import type { Column, Shape } from './shape';

function valueOf({ path }: Column): string {
  const [first = '', ...rest] = path;
  return rest.reduce((value, name) => `${value}.get("${name}")`, `item.get("${first}")`);
}

function entriesOf(columns: readonly Column[]): string {
  return columns.map((column) => `"${column.name}": ${valueOf(column)}`).join(', ');
}

/** Lines that append the table of the answer `body` to the list `rows`. */
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

/** Python 3, standard library alone: reads every page of an address into the list `rows`, one dictionary a line of the table. */
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
