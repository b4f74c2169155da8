import type { ComponentProps, HTMLAttributes, ReactNode } from 'react';
import figures from '../charts/figures.module.css';

type Attributes = HTMLAttributes<HTMLElement> & Readonly<Record<`data-${string}`, unknown>>;

interface Column<Row> {
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Class of the head and the cells. */
  readonly className?: string | undefined;
  /** Class of the cells only; default: `className`. */
  readonly cellClass?: string | undefined;
  readonly cellProps?: (row: Row) => Attributes;
}

interface TableProps<Row> extends Omit<ComponentProps<'table'>, 'children'> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  readonly columns: readonly Column<Row>[];
  readonly rowProps?: (row: Row) => Attributes;
  /** The first cell of each row is its header. */
  readonly hasRowHeads?: boolean;
  readonly caption?: ReactNode;
  /** Default: only screen readers read it. */
  readonly isCaptionShown?: boolean;
  /** Name of a column in a row shown as a card; default: the head as it is. */
  readonly cardHead?: (head: string) => string;
  /** Name of the region in which a table wider than the page scrolls sideways. */
  readonly scroll?: string;
}

/** Each cell names its column in `data-column`, for styles that show rows as cards on narrow screens. */
export function Table<Row>({
  rows,
  keyOf,
  columns,
  rowProps = () => ({}),
  hasRowHeads = true,
  caption,
  isCaptionShown = false,
  cardHead = (head) => head,
  scroll,
  ...attributes
}: TableProps<Row>) {
  const cellOf = ({ head, cell, className, cellClass = className, cellProps }: Column<Row>, row: Row, at: number) => {
    const Cell = at === 0 && hasRowHeads ? 'th' : 'td';
    const ofCell = Cell === 'th' ? { scope: 'row' } : { 'data-column': typeof head === 'string' ? cardHead(head) : undefined };
    return (
      <Cell key={at} className={cellClass} {...ofCell} {...cellProps?.(row)}>
        {cell(row)}
      </Cell>
    );
  };
  const table = (
    <table {...attributes}>
      {caption === undefined ? null : <caption className={isCaptionShown ? undefined : 'visually-hidden'}>{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ head, className }, at) => (
            <th key={at} scope="col" className={className}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf(row, index)} {...rowProps(row)}>
            {columns.map((column, at) => cellOf(column, row, at))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  return scroll === undefined ? table : <Scroll label={scroll}>{table}</Scroll>;
}

/** A named region in which a table wider than the page scrolls sideways. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section className={figures['scroll']} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Head that only screen readers read, such as that of a column of buttons. */
export function Hidden({ children }: { readonly children: string }) {
  return <span className="visually-hidden">{children}</span>;
}

/** For tables whose cards name the columns in lower case. */
export function lowerFirst(head: string): string {
  return head.slice(0, 1).toLowerCase() + head.slice(1);
}
