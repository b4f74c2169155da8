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

test.each(['ALL', BTC])('%s is rendered ahead only while it is read', async (symbol) => {
  jest.useFakeTimers();
  let nowMs = 1_800_000_000_000;
  let rendered = 0;
  const packetTotal = symbol === BTC ? 1 : 2;
  const check = (body: unknown): null => {
    if ((body as { row_total: number }).row_total === packetTotal) rendered += 1;
    return null;
  };
  const cache = createLatestCache({
    operation: operationById('getLatest'),
    now: () => nowMs,
    checks: { packet: check, compact: () => null },
    onInvalid: () => undefined,
  });
  const push = async (): Promise<void> => {
    nowMs += 10_000;
    for (const each of [BTC, ETH]) cache.push(fromProtoPacket(packetRecord(each, nowMs)));
    await jest.advanceTimersByTimeAsync(1_000);
  };
  cache.setSymbols([BTC, ETH]);
  cache.setPushed(new Set([BTC, ETH]));
  await push();
  expect(rendered).toBe(0);
  expect(cache.published(symbol, 'packet')?.symbolTotal).toBe(packetTotal);
  expect(rendered).toBe(1);
  await push();
  expect(rendered).toBe(2);
  await push();
  expect(rendered).toBe(2);
  cache.close();
  jest.useRealTimers();
});
