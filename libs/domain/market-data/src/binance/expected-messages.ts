import type { ExpectedMessages } from '../live/expected-messages';

/** `ps` (pair) and `st` (kind of market) may stand in any stream since the venue's two markets are one system. */
const EVERY_STREAM = ['e', 'E', 's', 'ps', 'st'] as const;

export const binanceMessages: ExpectedMessages = {
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
    lastFunding: { fields: ['symbol', 'fundingTime', 'fundingRate', 'markPrice'], isRare: true },
    subscribed: { fields: ['streams'] },
  },
};
