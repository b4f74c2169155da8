import { createLatestCache, latestChecks } from '../src/caches/latest/latest-cache';
import { fromProtoPacket } from '../src/clients/packet-client';
import { operationById } from '../src/serving/openapi/operations';
import { packetRecord } from './stand-in/packet-record';

const [BTC, ETH] = ['BTCUSD-PERP', 'ETHUSD-PERP'] as const;

test('ALL leaves out a symbol that is no longer served, and is fresh with the others', () => {
  let nowMs = 1_800_000_000_000;
  const cache = createLatestCache({
    operation: operationById('getLatest'),
    now: () => nowMs,
    checks: latestChecks(),
    onInvalid(symbol, fault) {
      throw new Error(`${symbol}: ${fault}`);
    },
  });
  const push = (symbol: string) => cache.push(fromProtoPacket(packetRecord(symbol, nowMs)));
  const all = () => cache.published('ALL', 'compact');
  cache.setSymbols([BTC, ETH]);
  cache.setPushed(new Set([BTC, ETH]));
  for (const symbol of [BTC, ETH]) push(symbol);
  expect(all()?.symbolTotal).toBe(2);
  cache.setSymbols([BTC]);
  cache.setPushed(new Set([BTC]));
  nowMs += 60_000;
  push(BTC);
  expect(all()).toMatchObject({ symbolTotal: 1, fresh: true });
  expect(cache.newestMs('ALL')).toBe(nowMs);
  cache.close();
});
