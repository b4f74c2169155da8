/** `time` is RFC 3339 text, `decimal` a number as text, `list` a list of texts. */
export type ColumnType = 'text' | 'decimal' | 'time' | 'integer' | 'number' | 'list' | 'json';

export interface Column {
  readonly name: string;
  /** Property names from the item to the value. */
  readonly path: readonly string[];
  readonly type: ColumnType;
}

/** Items are in `rows`, or the body itself is the only item. */
export type ItemsIn = 'rows' | 'body';

/** A response as a table: one line per item, or one per level for books. */
export interface Shape {
  readonly itemsIn: ItemsIn;
  readonly columns: readonly Column[];
  /** Path to the sides `bids` and `asks`, and their encoding. Absent if items have no levels. */
  readonly levels?: { readonly path: readonly string[]; readonly as: 'objects' | 'pairs'; readonly levelsMax: number };
}

function columns(prefix: readonly string[], fields: Readonly<Record<string, ColumnType>>): Column[] {
  return Object.entries(fields).map(([name, type]) => ({ name, path: [...prefix, name], type }));
}

/** Columns common to all replayed rows. */
const REPLAYED = columns([], { sequence: 'integer', exchange_time_utc: 'time', received_time_utc: 'time', flags: 'list' });

function replayed(fields: Readonly<Record<string, ColumnType>>, inside = 'row'): Shape {
  return { itemsIn: 'rows', columns: [...REPLAYED, ...columns([inside], fields)] };
}

/** Latest-state responses by channel; candles have one form. The last columns are deprecated names. */
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

/** Up to `depth` levels per side. */
export function newestBookShape(depth: number): Shape {
  return {
    itemsIn: 'body',
    columns: columns([], { exchange_time_utc: 'time', pass: 'integer', venue_id: 'text', sequence: 'text' }),
    levels: { path: [], as: 'objects', levelsMax: depth },
  };
}

/** Up to `depth` levels per side. */
export function replayedBookShape(depth: number): Shape {
  return { itemsIn: 'rows', columns: REPLAYED, levels: { path: ['row'], as: 'pairs', levelsMax: depth } };
}

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
