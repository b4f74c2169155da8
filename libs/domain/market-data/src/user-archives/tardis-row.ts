import { columnsOf } from '../csv/columns';
import { timeOfCell } from '../csv/read-row';
import type { PlayedInstrument } from '../played-instrument';
import type { PeekedFile } from '../recordings/peeked-file';
import { positive, quoted, rowCells, RowError, sized } from './row-values';

/** Cells of a row by column, and its times. */
export class TardisRow {
  private cells: readonly string[] = [];
  private readonly columns: ReadonlyMap<string, number>;

  constructor(
    readonly instrument: PlayedInstrument,
    file: PeekedFile,
  ) {
    this.columns = columnsOf(file.head[0] ?? '');
  }

  indexOf(column: string): number {
    return this.columns.get(column) ?? -1;
  }

  at(index: number): string {
    return this.cells[index] ?? '';
  }

  cell(column: string): string {
    return this.at(this.indexOf(column));
  }

  /** False for a row of another instrument. */
  take(line: string): boolean {
    this.cells = rowCells(line);
    const { length } = this.cells;
    if (length !== this.columns.size) throw new RowError(`row has ${length} cells, the header has ${this.columns.size}`);
    return this.cell('symbol') === this.instrument.venueInstrument;
  }

  time(column: 'timestamp' | 'local_timestamp'): number {
    const timeMs = timeOfCell(this.cell(column), 'us');
    if (timeMs === undefined) throw new RowError(`${column} ${quoted(this.cell(column))} is not microseconds since 1970`);
    return timeMs;
  }

  side<T extends string>(words: readonly [T, T], remark = ''): T {
    const text = this.cell('side');
    const word = words.find((each) => each === text);
    if (word === undefined) throw new RowError(`side ${quoted(text)} is not ${words.join(' or ')}${remark}`);
    return word;
  }

  priceAndSize(): { readonly price: string; readonly size: string } {
    return { price: positive(this.cell('price'), 'price'), size: sized(positive(this.cell('amount'), 'amount'), this.instrument) };
  }

  optional(column: string, read: (text: string) => string | undefined): string | undefined {
    const text = this.cell(column);
    if (text === '') return undefined;
    const value = read(text);
    if (value === undefined) throw new RowError(`${column} ${quoted(text)} is not a valid number`);
    return value;
  }
}
