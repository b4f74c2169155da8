import { isOfMarket, marketOfPacketLine } from './market-lines';

const row = (venue: string): string => `{"schema":"market_state_row.v1","kind":"trade","venue":"${venue}","symbol":"BTCUSD-PERP"}`;
const PACKET = '{"packet":{"symbol":"BTCUSD-PERP"},"schema":"market_state_packet_row.v1","symbol":"BTCUSD-PERP"}';
const AT_OKX =
  '{"market":"BTCUSD-PERP@okx","packet":{"symbol":"BTCUSD-PERP"},"schema":"market_state_packet_row.v1","symbol":"BTCUSD-PERP"}';
const KEY = '{"schema":"market_state_signing_key.v1","key_id":"key_1"}';
const LINES = [KEY, row('hyperliquid'), PACKET, row('okx'), AT_OKX];

test('each market of a dump of two venues has its own lines, and the keys', () => {
  expect([PACKET, AT_OKX, KEY].map(marketOfPacketLine)).toEqual(['BTCUSD-PERP', 'BTCUSD-PERP@okx', undefined]);
  const markets = ['BTCUSD-PERP', 'BTCUSD-PERP@okx'];
  const linesOf = (market: string): readonly string[] => LINES.filter(isOfMarket(market, markets));
  expect(linesOf('BTCUSD-PERP')).toEqual([KEY, row('hyperliquid'), PACKET]);
  expect(linesOf('BTCUSD-PERP@okx')).toEqual([KEY, row('okx'), AT_OKX]);
});
