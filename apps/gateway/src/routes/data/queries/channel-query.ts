import type { Timeframe } from '@market-state/export-schema';
import { toUtc } from '../../../serving/meta/instant';
import type { ReplayWindow } from '../../../streams/replay-window';
import { newestBookShape, NEWEST_SHAPES, REPLAYED_SHAPES, replayedBookShape, type Shape } from './shape';

/** Query parameters by name, in the order in which they are written. */
export type QueryParameters = Readonly<Record<string, string | number>>;

/** A path with its parameters. Instants and comma lists stay readable: `:` and `,` are allowed in a query. */
export function queryPath(path: string, parameters: QueryParameters): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replace(/%3A/g, ':').replace(/%2C/g, ',')}`,
  );
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** What a query spec is written for, in the order of the answer. */
export const QUERY_CHANNELS = ['book', 'trades', 'candles', 'context', 'liquidations', 'control', 'packets'] as const;

export type QueryChannel = (typeof QUERY_CHANNELS)[number];

/** What the caller of the route asked for. */
export interface QueryWishes {
  readonly symbol: string;
  readonly depth: number;
  readonly limit: number;
  readonly tf: Timeframe;
  /** Null: not given. Milliseconds since the epoch. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** The window of rows that these bounds give, at most an hour; null where neither was given. */
  readonly window: ReplayWindow | null;
}

/** One request for the rows of a channel, and how its answer is read as a table. */
export interface ChannelQuery {
  readonly channel: QueryChannel;
  readonly path: string;
  readonly parameters: QueryParameters;
  readonly shape: Shape;
  /** Its answer has a `next_cursor`. */
  readonly paged: boolean;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly remark: string | null;
}

const DATA = '/api/public/data';
const LIQUIDATION_WINDOW_SECONDS = 300;
const LEVELS_IN_ROW = 25;

/** The words for rows that were asked for a longer window than one query may have. */
export function cutRemark({ fromMs, toMs, window }: QueryWishes): string | null {
  if (window === null || fromMs === null || toMs === null || toMs <= window.endMs) return null;
  return `A query of rows spans at most one hour: this one ends at ${toUtc(window.endMs)}; ask for a spec from there on.`;
}

function joined(...sentences: (string | null)[]): string | null {
  const said = sentences.filter((sentence) => sentence !== null);
  return said.length === 0 ? null : said.join(' ');
}

function depthRemark(depth: number): string | null {
  return depth > LEVELS_IN_ROW ? `Rows hold at most ${LEVELS_IN_ROW} levels a side.` : null;
}

/** Rows of a channel from the log: those of the window, or of the last 5 minutes. */
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

/** The request for a channel: with a window its rows in it, else the newest. */
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
        'Given until 2027-05-27: `sequence`, earlier name of `venue_id`.',
      );
    case 'trades':
      return newestQuery(
        channel,
        'trades/latest',
        { symbol, limit },
        NEWEST_SHAPES.trades,
        'Given until 2027-05-27: `trade_id`, earlier name of `venue_id`, and `side`, of `aggressor_side`.',
      );
    case 'context':
      return newestQuery(channel, 'context/active-asset', { symbol }, NEWEST_SHAPES.context);
    case 'liquidations':
      return newestQuery(
        channel,
        'liquidations/context',
        { symbol, window_seconds: LIQUIDATION_WINDOW_SECONDS },
        NEWEST_SHAPES.liquidations,
        'Liquidations of the last 5 minutes; there may be none. Given until 2027-05-27: `liquidation_id`, earlier name of `venue_id`.',
      );
  }
}
