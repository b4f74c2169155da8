import type { Timeframe } from '@market-state/export-schema';
import { toUtc } from '../../../serving/meta/meta';
import type { ReplayWindow } from '../../../streams/replay';
import { newestBookShape, NEWEST_SHAPES, REPLAYED_SHAPES, replayedBookShape, type Shape } from './shape';

/** In the order in which they are written. */
export type QueryParameters = Readonly<Record<string, string | number>>;

/** Keeps instants and comma-separated lists readable: `:` and `,` are allowed in a query. */
export function queryPath(path: string, parameters: QueryParameters): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replace(/%3A/g, ':').replace(/%2C/g, ',')}`,
  );
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** In response order. */
export const QUERY_CHANNELS = ['book', 'trades', 'candles', 'context', 'liquidations', 'control', 'packets'] as const;

export type QueryChannel = (typeof QUERY_CHANNELS)[number];

export interface QueryWishes {
  readonly symbol: string;
  readonly depth: number;
  readonly limit: number;
  readonly tf: Timeframe;
  /** Milliseconds since the epoch; null if not given. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Window that the bounds select, at most one hour; null if neither was given. */
  readonly window: ReplayWindow | null;
}

/** With the shape that reads its response as a table. */
export interface ChannelQuery {
  readonly channel: QueryChannel;
  readonly path: string;
  readonly parameters: QueryParameters;
  readonly shape: Shape;
  /** True if the response has a `next_cursor`. */
  readonly paged: boolean;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly remark: string | null;
}

const DATA = '/api/public/data';
const LIQUIDATION_WINDOW_SECONDS = 300;
const LEVELS_IN_ROW = 25;

/** Note for a requested window that exceeds the limit of one query. */
export function cutRemark({ fromMs, toMs, window }: QueryWishes): string | null {
  if (window === null || fromMs === null || toMs === null || toMs <= window.endMs) return null;
  return `A query of rows spans at most one hour. This one ends at ${toUtc(window.endMs)}; request another spec from there.`;
}

function joined(...sentences: (string | null)[]): string | null {
  const said = sentences.filter((sentence) => sentence !== null);
  return said.length === 0 ? null : said.join(' ');
}

function depthRemark(depth: number): string | null {
  return depth > LEVELS_IN_ROW ? `Rows hold at most ${LEVELS_IN_ROW} levels per side.` : null;
}

/** A channel's rows from the log, for the window or the last 5 minutes. */
function replayQuery(wishes: QueryWishes, channel: Exclude<QueryChannel, 'candles'>): ChannelQuery {
  const { symbol, depth, window } = wishes;
  const bounds: QueryParameters = window === null ? {} : { start: toUtc(window.startMs), end: toUtc(window.endMs) };
  return {
    channel,
    path: `${DATA}/replay/window`,
    parameters: { symbol, ...bounds, channels: channel },
    shape: channel === 'book' ? replayedBookShape(depth) : REPLAYED_SHAPES[channel],
    paged: true,
    startMs: window?.startMs ?? null,
    endMs: window?.endMs ?? null,
    remark: joined(
      window === null ? 'The last 5 minutes up to the feed clock.' : cutRemark(wishes),
      channel === 'book' ? depthRemark(depth) : null,
    ),
  };
}

function newestQuery(
  channel: QueryChannel,
  route: string,
  parameters: QueryParameters,
  shape: Shape,
  remark: string | null = null,
): ChannelQuery {
  return { channel, path: `${DATA}/${route}`, parameters, shape, paged: false, startMs: null, endMs: null, remark };
}

function candlesQuery({ symbol, tf, fromMs, toMs }: QueryWishes): ChannelQuery {
  const from: QueryParameters = fromMs === null ? {} : { from: toUtc(fromMs) };
  const to: QueryParameters = toMs === null ? {} : { to: toUtc(toMs) };
  const remark = fromMs === null ? 'The newest 1,000 candles before the end.' : null;
  return {
    channel: 'candles',
    path: `${DATA}/candles`,
    parameters: { symbol, tf, ...from, ...to },
    shape: NEWEST_SHAPES.candles,
    paged: true,
    startMs: fromMs,
    endMs: toMs,
    remark,
  };
}

/** With a window its rows, else the newest rows. */
export function channelQuery(wishes: QueryWishes, channel: QueryChannel): ChannelQuery {
  const { symbol, depth, limit, window } = wishes;
  if (channel === 'candles') return candlesQuery(wishes);
  if (window !== null || channel === 'control' || channel === 'packets') return replayQuery(wishes, channel);
  switch (channel) {
    case 'book':
      return newestQuery(
        channel,
        'book/l2/latest',
        { symbol, depth },
        newestBookShape(depth),
        'Deprecated, available until 2027-05-27: `sequence`. Use `venue_id`.',
      );
    case 'trades':
      return newestQuery(
        channel,
        'trades/latest',
        { symbol, limit },
        NEWEST_SHAPES.trades,
        'Deprecated, available until 2027-05-27: `trade_id` (use `venue_id`) and `side` (use `aggressor_side`).',
      );
    case 'context':
      return newestQuery(channel, 'context/active-asset', { symbol }, NEWEST_SHAPES.context);
    case 'liquidations':
      return newestQuery(
        channel,
        'liquidations/context',
        { symbol, window_seconds: LIQUIDATION_WINDOW_SECONDS },
        NEWEST_SHAPES.liquidations,
        'Liquidations of the last 5 minutes; may be empty. Deprecated, available until 2027-05-27: `liquidation_id`. Use `venue_id`.',
      );
  }
}
