import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { withRecordings } from '@market-state/testing';
import { faultsOf } from './schema';

function answer(path: string): unknown {
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as { request?: unknown; response?: unknown };
  return recorded.request === undefined ? recorded : recorded.response;
}

describe('what the venue really sent fits the schemas', () => {
  const shapes = join(import.meta.dirname, '../../../libs/domain/market-data/shapes/hyperliquid');

  it.each([
    ['bookData', 'http_l2Book_BTC_testnet.json'],
    ['bookData', 'http_l2Book_DYDX.json'],
    ['recentTrades', 'http_recentTrades_BTC_testnet.json'],
    ['fundingHistory', 'http_fundingHistory_BTC.json'],
    ['candleSnapshot', 'http_candleSnapshot_kPEPE_1h.json'],
    ['meta', 'http_meta.json'],
    ['metaAndAssetCtxs', 'http_metaAndAssetCtxs_testnet.json'],
    ['allMids', 'http_allMids.json'],
  ] as const)('%s: %s', (shape, name) => {
    expect(faultsOf(shape, answer(join(shapes, name)))).toEqual([]);
  });

  withRecordings('hyperliquid', (folder) => {
    it('every frame of the WebSocket recording', () => {
      const lines = gunzipSync(readFileSync(join(folder, 'ws', 'btcusd_20250126.gz')))
        .toString()
        .trimEnd()
        .split('\n');
      const frames = lines.map((line) => JSON.parse(line.slice(line.indexOf(' ') + 1)) as unknown);
      expect(frames).toHaveLength(55);
      expect(frames.flatMap((frame) => faultsOf('frame', frame))).toEqual([]);
    });

    it('every book of the archive', () => {
      const lines = gunzipSync(readFileSync(join(folder, 'archive', 'BTC_20240101_1200-1240.l2Book.jsonl.gz')))
        .toString()
        .trimEnd()
        .split('\n');
      expect(lines.flatMap((line) => faultsOf('book', (JSON.parse(line) as { raw: unknown }).raw))).toEqual([]);
    });

    it.each(['ws_candle_HYPE_1d.json', 'ws_activeAssetCtx_MOODENG.json'])('%s', (name) => {
      expect(faultsOf('frame', answer(join(folder, 'shapes', name)))).toEqual([]);
    });
  });
});

test('a frame that bends the shape does not fit', () => {
  expect(faultsOf('frame', { channel: 'bbo', data: { coin: 'SIM', time: 1, bbo: [null] } })).not.toEqual([]);
});
