import type { BookFrame, Frame } from '../protocol/frames';

/** A book whose best bid stands where its second ask does. */
export function crossed(frame: Frame): Frame {
  if (frame.channel !== 'l2Book') return frame;
  const [bids, asks] = frame.data.levels;
  const px = asks[1]?.px ?? asks[0]?.px;
  const levels: BookFrame['data']['levels'] = [
    bids.map((level, place) => (place === 0 && px !== undefined ? { ...level, px } : level)),
    asks,
  ];
  return { ...frame, data: { ...frame.data, levels } };
}

const TICKS_A_UNIT = 10;

/** A frame of the book, or of trades, whose prices are off by so many ticks of 0.1. */
export function mispriced(frame: Frame, channel: 'book' | 'trade', ticks: number): Frame {
  const off = <Priced extends { readonly px: string }>(priced: Priced): Priced => ({
    ...priced,
    px: ((Math.round(Number(priced.px) * TICKS_A_UNIT) + ticks) / TICKS_A_UNIT).toFixed(1),
  });
  if (channel === 'trade') return frame.channel === 'trades' ? { ...frame, data: frame.data.map(off) } : frame;
  if (frame.channel === 'bbo') {
    const [bid, ask] = frame.data.bbo;
    return { ...frame, data: { ...frame.data, bbo: [off(bid), off(ask)] } };
  }
  if (frame.channel !== 'l2Book') return frame;
  const [bids, asks] = frame.data.levels;
  return { ...frame, data: { ...frame.data, levels: [bids.map(off), asks.map(off)] } };
}

/** A context with another funding rate. */
export function withFunding(frame: Frame, funding: string): Frame {
  return frame.channel === 'activeAssetCtx' ? { ...frame, data: { ...frame.data, ctx: { ...frame.data.ctx, funding } } } : frame;
}

/** The same frame at another time. Contexts have none, and candles keep theirs. */
export function skewed(frame: Frame, offsetMs: number): Frame {
  switch (frame.channel) {
    case 'l2Book':
      return { ...frame, data: { ...frame.data, time: frame.data.time + offsetMs } };
    case 'bbo':
      return { ...frame, data: { ...frame.data, time: frame.data.time + offsetMs } };
    case 'trades':
      return { ...frame, data: frame.data.map((row) => ({ ...row, time: row.time + offsetMs })) };
    case 'simLiquidations':
      return { ...frame, data: frame.data.map((row) => ({ ...row, time: row.time + offsetMs })) };
    case 'activeAssetCtx':
    case 'candle':
      return frame;
  }
}
