import { createWorkplace } from './run';
import { bareSnapshot, market, merged, received, START_MS, ticker, type UsdmInstrument } from './usdm-lines';

const place = createWorkplace();
afterAll(() => place.remove());

const BTC: UsdmInstrument = { name: 'BTCUSDT', bid: '61800.1', ask: '61800.2' };
const RECORD = 'record perpetuals from wss://fstream.binance.com (USD-M) or wss://dstream.binance.com (COIN-M)';

const spotDiff = received(150, {
  stream: 'btcusdt@depth@100ms',
  data: { e: 'depthUpdate', E: START_MS + 150, s: 'BTCUSDT', U: 10, u: 12, b: [['61800.10000000', '1.00000000']], a: [] },
});
const spotTrade = received(160, {
  stream: 'btcusdt@trade',
  data: { e: 'trade', E: START_MS + 160, s: 'BTCUSDT', t: 5, p: '61800.1', q: '1', T: START_MS + 159, m: false, M: true },
});
const spotTop = received(140, { stream: 'btcusdt@bookTicker', data: { u: 9, s: 'BTCUSDT', b: '61800.1', B: '1', a: '61800.2', A: '1' } });
const spotSnapshot = received(120, { lastUpdateId: 9, bids: [['61800.1', '1']], asks: [['61800.2', '1']] });
const spotPartial = received(130, { stream: 'btcusdt@depth20@100ms', data: { lastUpdateId: 9, bids: [], asks: [] } });

test.each([
  ['changes of the book', [spotSnapshot, spotTop, '', spotDiff], 4, 'a depth update without pu'],
  ['trades', [spotTop, spotTrade], 2, 'a trade with M'],
  ['books of 20 levels', [spotPartial], 1, 'a partial book without a time'],
  ['spot among perpetuals', [...market(BTC, 100).slice(0, 10), spotDiff], 11, 'a depth update without pu'],
])('a recording of Binance spot is refused by its %s, with the line and what to record', async (_what, lines, number, sign) => {
  const file = place.write('spot.txt', lines.join('\n'));
  for (const command of ['label', 'rows', 'report'])
    expect(await place.run(command, file, ...(command === 'report' ? ['--out', 'page.html'] : []))).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `market-state: spot.txt:${number}: this is Binance spot (${sign}), which is not supported: ${RECORD}\n`,
    });
});

test('a recording of the perpetual of the same name is labelled', async () => {
  const lines = merged(market(BTC, 100), [bareSnapshot(BTC, 200, 1_010), ticker(BTC, 210, 1_011)]);
  expect(await place.run('label', place.write('perpetual.txt', lines))).toMatchObject({ exitCode: 0, stderr: '' });
});
