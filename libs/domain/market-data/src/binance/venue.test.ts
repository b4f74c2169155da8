import { binanceAnswers } from './venue';

/**
 * Examples from the venue's pages "Kline/Candlestick Data", "Order Book" and "Index Price and Mark Price" for either
 * market.
 */
const KLINE = '[[1591258320000,"9640.7","9642.4","9640.6","9642.0","206",1591258379999,"2.13660389",48,"119","1.23424865","0"]]';
const COINM = { venueInstrument: 'BTCUSD_PERP', contractValue: '100' };
const USDM = { venueInstrument: 'BTCUSDT' };

test('candles count contracts on COIN-M and base units on USD-M', () => {
  const prices = { openMs: 1591258320000, open: '9640.7', high: '9642.4', low: '9640.6', close: '9642.0', tradeTotal: 48 };
  expect(binanceAnswers.candles(KLINE, COINM)).toEqual([{ ...prices, turnover: { field: 'notional', value: '20600' } }]);
  expect(binanceAnswers.candles(KLINE, USDM)).toEqual([{ ...prices, turnover: { field: 'volume', value: '206' } }]);
});

test('best prices come with the update id of their book', () => {
  const depth =
    '{"lastUpdateId":1027024,"E":1589436922972,"T":1589436922959,"bids":[["4.00000000","431.0"]],"asks":[["4.00000200","12.0"]]}';
  expect(binanceAnswers.bestPrices(depth, USDM)).toEqual({
    ...{ place: { by: 'id', value: 1027024 }, timeMs: 1589436922959 },
    ...{ bid: { price: '4.00000000', size: '431.0' }, ask: { price: '4.00000200', size: '12.0' } },
  });
  expect(binanceAnswers.bestPrices('{"lastUpdateId":1,"T":1,"bids":[],"asks":[]}', USDM)).toBeUndefined();
});

test('mark price and funding rate are those of the instrument, in a list or alone', () => {
  const entry = { markPrice: '11793.63104562', lastFundingRate: '0.00038246', nextFundingTime: 1597392000000, time: 1597370495002 };
  const reported = { timeMs: 1597370495002, markPrice: '11793.63104562', fundingRate: '0.00038246' };
  expect(binanceAnswers.context(JSON.stringify({ symbol: 'BTCUSDT', ...entry }), USDM)).toEqual(reported);
  const list = [
    { symbol: 'BTCUSD_200925', ...entry, markPrice: '1' },
    { symbol: 'BTCUSD_PERP', ...entry },
  ];
  expect(binanceAnswers.context(JSON.stringify(list), COINM)).toEqual(reported);
});

test('anything else is no answer', () => {
  for (const text of ['', 'null', '{"code":-1121,"msg":"Invalid symbol."}', '[[1]]', '[{}]']) {
    expect(binanceAnswers.bestPrices(text, USDM)).toBeUndefined();
    expect(binanceAnswers.candles(text, USDM)).toBeUndefined();
    expect(binanceAnswers.context(text, USDM)).toBeUndefined();
  }
});
