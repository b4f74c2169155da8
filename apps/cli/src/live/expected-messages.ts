import type { LiveVenueName } from './live-venues';

/** The fields of one kind of message, by their path; lists are seen through. */
export interface ExpectedMessage {
  readonly fields: readonly string[];
  /** One that may not come for a while: there is nothing to tell. */
  readonly isRare?: boolean;
}

/** What the adapter of a venue was written for. Fields that it does not read stand here too: a new one may change what the others mean. */
export interface ExpectedMessages {
  /** The kind of a message, and the part of it whose fields count; undefined for one that belongs to the connection itself. */
  kindOf(message: Readonly<Record<string, unknown>>): { readonly kind: string; readonly body: unknown } | undefined;
  readonly messages: Readonly<Record<string, ExpectedMessage>>;
}

const CONNECTION_CHANNELS: readonly unknown[] = ['subscriptionResponse', 'pong'];

const HYPERLIQUID: ExpectedMessages = {
  kindOf: ({ channel, data }) => (CONNECTION_CHANNELS.includes(channel) ? undefined : { kind: String(channel), body: data }),
  messages: {
    l2Book: { fields: ['coin', 'time', 'levels.px', 'levels.sz', 'levels.n', 'spread', 'fast'] },
    bbo: { fields: ['coin', 'time', 'bbo.px', 'bbo.sz', 'bbo.n', 'bbo'] },
    trades: { fields: ['coin', 'side', 'px', 'sz', 'hash', 'time', 'tid', 'users'] },
    activeAssetCtx: {
      fields: [
        'coin',
        ...['funding', 'openInterest', 'prevDayPx', 'dayNtlVlm', 'premium', 'oraclePx', 'markPx', 'midPx', 'impactPxs', 'dayBaseVlm'].map(
          (name) => `ctx.${name}`,
        ),
      ],
    },
    candle: { fields: ['t', 'T', 's', 'i', 'o', 'c', 'h', 'l', 'v', 'n'] },
  },
};

const SIMULATED: ExpectedMessages = {
  ...HYPERLIQUID,
  messages: { ...HYPERLIQUID.messages, simLiquidations: { fields: ['coin', 'id', 'positionSide', 'px', 'sz', 'time'], isRare: true } },
};

/** `ps` (pair) and `st` (kind of market) may stand in any stream since the venue's two markets are one system. */
const EVERY_STREAM = ['e', 'E', 's', 'ps', 'st'] as const;

const BINANCE: ExpectedMessages = {
  kindOf({ stream, data }) {
    return typeof stream === 'string' ? { kind: stream.split('@')[1] ?? stream, body: data } : undefined;
  },
  messages: {
    depth: { fields: [...EVERY_STREAM, 'T', 'U', 'u', 'pu', 'b', 'a'] },
    trade: { fields: [...EVERY_STREAM, 'T', 't', 'p', 'q', 'X', 'm'] },
    markPrice: { fields: [...EVERY_STREAM, 'p', 'P', 'i', 'r', 'T'] },
    ticker: { fields: [...EVERY_STREAM, 'p', 'P', 'w', 'c', 'Q', 'o', 'h', 'l', 'v', 'q', 'O', 'C', 'F', 'L', 'n'] },
    forceOrder: {
      fields: [...EVERY_STREAM, ...['s', 'ps', 'st', 'S', 'o', 'f', 'q', 'p', 'ap', 'X', 'l', 'z', 'T'].map((name) => `o.${name}`)],
      isRare: true,
    },
    depthSnapshot: { fields: ['lastUpdateId', 'E', 'T', 'symbol', 'pair', 'bids', 'asks'] },
    openInterest: { fields: ['symbol', 'pair', 'openInterest', 'contractType', 'time'] },
    fundingInfo: {
      fields: ['symbol', 'adjustedFundingRateCap', 'adjustedFundingRateFloor', 'fundingIntervalHours', 'disclaimer', 'updateTime'],
      isRare: true,
    },
    subscribed: { fields: ['streams'] },
  },
};

export const EXPECTED: Readonly<Record<LiveVenueName, ExpectedMessages>> = {
  hyperliquid: HYPERLIQUID,
  simulated: SIMULATED,
  'binance-coinm': BINANCE,
  'binance-usdm': BINANCE,
};

/** Paths of the fields that hold something else than further fields. Of a list every member counts. */
export function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    const inner = (value as unknown[]).filter((member) => typeof member === 'object' && member !== null);
    const fields = [...new Set(inner.flatMap((member) => fieldsOf(member, path)))];
    return fields.length > 0 || path === '' ? fields : [path];
  }
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, path === '' ? name : `${path}.${name}`));
}
