import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = join('libs', 'domain', 'market-data', 'recordings', 'binance-coinm');

/** Files of the recordings that come with the product, in order, by symbol. */
const files: Readonly<Record<string, readonly string[]>> = {
  'BTCUSD-PERP': ['btcusd_perp_20240808.gz', 'btcusd_perp_20240809.gz'],
  'ETHUSD-PERP': ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'],
};

/**
 * Paths of the recordings that come with the product, by symbol. They are looked for beside the running file and in the
 * folders above it, so that they are found from the sources and from a bundle alike; empty where there are none.
 */
export function bundledRecordings(): Record<string, readonly string[]> {
  for (let at = __dirname; ; at = dirname(at)) {
    const found = join(at, folder);
    if (existsSync(found)) return Object.fromEntries(Object.entries(files).map(([symbol, names]) => [symbol, names.map((file) => join(found, file))]));
    if (at === dirname(at)) return {};
  }
}
