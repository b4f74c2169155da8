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
