import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { bundledFiles } from '@market-state/market-data';
import { type Thinning, thinnedFile } from './thinned-recordings';

const CONTRACTS = [
  { base: 'BTC', recording: 'BTCUSD-PERP', contract: { venue_instrument: 'BTCUSD_PERP', contract_value: '100' } },
  { base: 'ETH', recording: 'ETHUSD-PERP', contract: { venue_instrument: 'ETHUSD_PERP', contract_value: '10' } },
] as const;
const FACTS = {
  feed: 'recording',
  venue: 'binance-coinm',
  channels: ['book', 'trades'],
  book_staleness_ms: 5_000,
  trade_staleness_ms: 60_000,
  context_staleness_ms: 120_000,
  closing_lag_ms: 1_000,
} as const;
/** Redis holds 75 minutes of every symbol's log. */
const LOG_MB_MAX = 4_096;

/** Time from a window's end to its closing tick, in these rows. */
export const CLOSING_LAG_MS = FACTS.closing_lag_ms;

/**
 * Many symbols play the two bundled recordings at recorded speed, each with its own log and history. Writes the
 * instrument table and thinned recordings into a folder.
 * @param thinningOf by rank from 0; undefined plays the recording as it is
 */
export function severalSymbols(
  total: number,
  folder: string,
  thinningOf: (rank: number) => Thinning | undefined,
): { readonly symbols: readonly string[]; readonly settings: NodeJS.ProcessEnv } {
  const recordings = join(workspaceRoot(), 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm');
  const rows = Array.from({ length: total }, (_, rank) => {
    const { base, recording, contract } = CONTRACTS[rank % CONTRACTS.length] ?? CONTRACTS[0];
    const symbol = `${base}${rank}USD-PERP`;
    const thinning = thinningOf(rank);
    const files = (bundledFiles[recording] ?? []).map((name) => {
      const file = join(recordings, name);
      return thinning === undefined ? file : thinnedFile(file, folder, thinning);
    });
    return { symbol, files, row: { ...FACTS, symbol, ...contract } };
  });
  const table = join(folder, 'instruments.json');
  writeFileSync(table, JSON.stringify(rows.map(({ row }) => row)));
  const symbols = rows.map(({ symbol }) => symbol);
  return {
    symbols,
    settings: {
      FEED: 'recording',
      SYMBOLS: symbols.join(','),
      INSTRUMENTS_FILE: table,
      FEED_FILE: rows.map(({ symbol, files }) => `${symbol}=${files.join(',')}`).join(';'),
      FEED_MEMORY_MB_MAX: String(LOG_MB_MAX),
    },
  };
}
