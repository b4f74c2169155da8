const COLUMNS = [
  'windowEndMs',
  'severity',
  /** 1 for class `high_context` or `critical_context`, else 0. */
  'high',
  /** Index in `JUDGED_STATES`, or −1. */
  'state',
  /** Side of the pressure and the flow composite: 1, −1 or 0. */
  'bookSide',
  'flowSide',
  'volatilityNext60',
  'volatilityNext900',
  'volatility60',
  'volatility300',
  'volatility900',
  'volatility3600',
  'har',
  'moveNext60',
  'imbalanceNext60',
  'imbalance60',
  'imbalance180',
  'imbalance300',
  'netTradedNext60',
  'netTraded60',
  'netTraded180',
  'netTraded300',
  'notionalNext60',
  'notional60',
  'notional300',
  'spreadNext60',
  'spread60',
  'spread300',
] as const;
export type Column = (typeof COLUMNS)[number];

/** A row of numbers per packet, one typed array per column; a number that is not known is NaN. */
export class PacketTable {
  private readonly columns = new Map<Column, Float64Array>();
  private capacity = 0;
  private rows = 0;

  get length(): number {
    return this.rows;
  }

  add(values: Readonly<Partial<Record<Column, number>>>): number {
    this.reserve(this.rows + 1);
    const row = this.rows++;
    this.set(row, values);
    return row;
  }

  set(row: number, values: Readonly<Partial<Record<Column, number>>>): void {
    for (const name of COLUMNS) {
      const [column, value] = [this.columns.get(name), values[name]];
      if (column !== undefined && value !== undefined) column[row] = value;
    }
  }

  column(name: Column): Float64Array {
    return this.columns.get(name)?.subarray(0, this.rows) ?? new Float64Array(0);
  }

  include(other: PacketTable): void {
    this.reserve(this.rows + other.rows);
    for (const name of COLUMNS) this.columns.get(name)?.set(other.column(name), this.rows);
    this.rows += other.rows;
  }

  private reserve(rows: number): void {
    if (rows <= this.capacity) return;
    this.capacity = Math.max(256, 2 * this.capacity, rows);
    for (const name of COLUMNS) {
      const column = new Float64Array(this.capacity).fill(Number.NaN);
      column.set(this.column(name));
      this.columns.set(name, column);
    }
  }
}
