import { escape } from '@market-state/packet-figures';

/** A cell: text is set left, a number right as it is. */
export type Cell = string | { readonly number: string };

/** Columns that a narrow page has room for. */
const FEW_COLUMNS = 4;

/** A table with a heading, as HTML. With no rows it says so. */
export function table(title: string, head: readonly string[], rows: readonly (readonly Cell[])[], note = ''): string {
  const body =
    rows.length === 0
      ? `<tr><td colspan="${head.length}">none</td></tr>`
      : rows.map((row) => `<tr>${row.map((content, column) => cell(content, head[column] ?? '')).join('')}</tr>`).join('\n');
  const numeric = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] !== 'string'));
  const columns = head.map((name, column) => `<th${numeric[column] === true ? ' class="n"' : ''}>${escape(name)}</th>`).join('');
  return `<section class="table"><h3>${escape(title)}</h3>${note === '' ? '' : `<p>${escape(note)}</p>`}
<table${head.length > FEW_COLUMNS ? ' class="many"' : ''}><thead><tr>${columns}</tr></thead><tbody>
${body}
</tbody></table></section>`;
}

/** Narrow pages show the row of a table of many columns as lines, each with the name of its column. */
function cell(content: Cell, column: string): string {
  const [kind, text] = typeof content === 'string' ? ['', content] : [' class="n"', content.number];
  return `<td${kind} data-column="${escape(column)}">${escape(text)}</td>`;
}
