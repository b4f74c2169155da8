import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { instrumentOf, type PlayedInstrument } from '@market-state/market-data';
import { bundledRecording } from '@market-state/recorded-market';
import { readMarket, type RecordedMarket } from './recorded-market';

const USDM: PlayedInstrument = {
  symbol: 'BTCUSD-PERP',
  venue: 'binance-usdm',
  venueInstrument: 'BTCUSDT',
  channels: ['book', 'trade'],
  bookStalenessMs: 5_000,
  tradeStalenessMs: 60_000,
  contextStalenessMs: 120_000,
  closingLagMs: 1_000,
};

/** The recordings that come with the product, and the one of USD-M where RECORDINGS_DIR has it. */
export async function recordedMarkets(): Promise<readonly RecordedMarket[]> {
  const files = (name: string): string[] => [8, 9].map((day) => bundledRecording(`${name}_2024080${day}.gz`));
  const markets = [
    await readMarket('BTCUSD_PERP', 'coinm', instrumentOf('BTCUSD-PERP'), files('btcusd_perp')),
    await readMarket('ETHUSD_PERP', 'coinm', instrumentOf('ETHUSD-PERP'), files('ethusd_perp')),
  ];
  const usdm = join(process.env['RECORDINGS_DIR'] ?? '', 'binance-usdm', 'btcusdt_20240808.gz');
  return existsSync(usdm) ? [...markets, await readMarket('BTCUSDT', 'usdm', USDM, [usdm])] : markets;
}
