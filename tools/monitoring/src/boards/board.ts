/** How a figure is written. */
export type Unit = 's' | 'percentunit' | 'short' | 'bytes' | 'Bps' | 'reqps' | 'cps' | 'd' | 'none';

export interface BoardQuery {
  readonly expr: string;
  /** Name of each line, with `{{label}}` filled in; of a table, the name of its column. */
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  /** Lines over time, the newest value alone, or a table with a row for each value of a label. */
  readonly kind: 'lines' | 'value' | { readonly rowsBy: string };
  readonly unit: Unit;
  readonly queries: readonly BoardQuery[];
  /** Values from which it is drawn in red; absent: none. */
  readonly redFrom?: number;
  /** Of 24. */
  readonly width: 6 | 8 | 12 | 24;
}

export interface Board {
  /** Name of its file, and its address in Grafana. */
  readonly id: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}
