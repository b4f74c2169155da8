/** How a value is read: `time` is RFC 3339 text, `decimal` a number as text, `list` one of texts. */
export type ColumnType = 'text' | 'decimal' | 'time' | 'integer' | 'number' | 'list' | 'json';

/** One column of a table made of an answer. */
export interface Column {
  readonly name: string;
  /** Names that lead to the value, from an item on. */
  readonly path: readonly string[];
  readonly type: ColumnType;
}

/** Where the items of an answer stand: in `rows`, or the answer itself is the one item. */
export type ItemsIn = 'rows' | 'body';

/** An answer as a table: its items and, of each, the columns; book sides give a line for each level. */
export interface Shape {
  readonly itemsIn: ItemsIn;
  readonly columns: readonly Column[];
  /** Where the sides `bids` and `asks` of an item stand, and how a level is written. Absent where an item has no levels. */
  readonly levels?: { readonly path: readonly string[]; readonly as: 'objects' | 'pairs'; readonly levelsMax: number };
}

function columns(prefix: readonly string[], fields: Readonly<Record<string, ColumnType>>): Column[] {
  return Object.entries(fields).map(([name, type]) => ({ name, path: [...prefix, name], type }));
}

/** What every replayed row has around it. */
const REPLAYED = columns([], { sequence: 'integer', exchange_time_utc: 'time', received_time_utc: 'time', flags: 'list' });

function replayed(fields: Readonly<Record<string, ColumnType>>, inside = 'row'): Shape {
  return { itemsIn: 'rows', columns: [...REPLAYED, ...columns([inside], fields)] };
}

/** Answers of the routes that give the newest state, by channel; candles have one form. The last columns have the rows' earlier names. */
export const NEWEST_SHAPES = {
  trades: {
    itemsIn: 'rows',
    columns: columns([], {
      ...{ pass: 'integer', venue_id: 'text', price: 'decimal', size: 'decimal', aggressor_side: 'text', exchange_time_utc: 'time' },
      ...{ trade_id: 'text', side: 'text' },
    }),
  },
  candles: {
    itemsIn: 'rows',
    columns: columns([], {
      ...{ open_time_utc: 'time', close_time_utc: 'time', open: 'decimal', high: 'decimal', low: 'decimal', close: 'decimal' },
      ...{ volume: 'decimal', notional: 'decimal', trade_total: 'integer', complete: 'json', gap: 'json' },
    }),
  },
  context: {
    itemsIn: 'body',
    columns: columns([], {
      ...{
        symbol: 'text',
        as_of_utc: 'time',
        source_status: 'text',
        funding_rate: 'decimal',
        funding_interval_hours: 'integer',
        open_interest: 'decimal',
      },
      ...{ open_interest_usd: 'decimal', mark_price: 'decimal', oracle_price: 'decimal', basis_bps: 'number', day_volume_usd: 'decimal' },
    }),
  },
  liquidations: {
    itemsIn: 'rows',
    columns: columns([], {
      ...{ pass: 'integer', venue_id: 'text', position_side: 'text', price: 'decimal', size: 'decimal', notional_usd: 'decimal' },
      ...{ provenance: 'text', exchange_time_utc: 'time', liquidation_id: 'text' },
    }),
  },
} as const satisfies Readonly<Record<string, Shape>>;

/** The newest book, to `depth` levels a side. */
export function newestBookShape(depth: number): Shape {
  return {
    itemsIn: 'body',
    columns: columns([], { exchange_time_utc: 'time', pass: 'integer', venue_id: 'text', sequence: 'text' }),
    levels: { path: [], as: 'objects', levelsMax: depth },
  };
}

/** Books of a replay, to `depth` levels a side. */
export function replayedBookShape(depth: number): Shape {
  return { itemsIn: 'rows', columns: REPLAYED, levels: { path: ['row'], as: 'pairs', levelsMax: depth } };
}

/** Rows of a replay by channel. */
export const REPLAYED_SHAPES = {
  trades: replayed({ venue_id: 'text', price: 'decimal', size: 'decimal', venue_size: 'decimal', aggressor_side: 'text' }),
  context: replayed({
    ...{ funding_rate: 'decimal', venue_funding_rate: 'decimal', funding_interval_hours: 'integer', open_interest: 'decimal' },
    ...{ mark_price: 'decimal', oracle_price: 'decimal', mid_price: 'decimal', day_volume: 'decimal' },
  }),
  liquidations: replayed({
    venue_id: 'text',
    position_side: 'text',
    price: 'decimal',
    size: 'decimal',
    venue_size: 'decimal',
    provenance: 'text',
  }),
  control: replayed({ kind: 'text', feed_clock_ms: 'integer', status: 'json' }),
  packets: {
    itemsIn: 'rows',
    columns: [
      ...REPLAYED,
      ...columns([], { packet_digest: 'text' }),
      ...columns(['packet'], {
        event_id: 'text',
        state: 'text',
        event_class: 'text',
        transition_type: 'text',
        novelty_score: 'number',
        contradiction_score: 'number',
      }),
    ],
  },
} as const satisfies Readonly<Record<string, Shape>>;
