import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArchiveWriter, createFolderStore, type ObjectStore } from '@market-state/archive';
import { archiveLayoutOf, archiveRow, encodeEvent, type TradeEvent } from '@market-state/market-data';

export const SYMBOL = 'BTCUSD-PERP';
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
/** Start of the first day with trades. */
export const DAY_1_MS = Date.UTC(2026, 0, 10);

export interface StoredTrade {
  readonly event: TradeEvent;
  readonly flags: number;
}

/** One trade per minute; its price is its number, which identifies it. */
export function tradesOf(symbol: string, fromMs: number, minutes: number): StoredTrade[] {
  return Array.from({ length: minutes }, (_, index): StoredTrade => {
    const exchangeTsMs = fromMs + index * 60_000;
    return {
      flags: index % 50 === 7 ? 2 : 0,
      event: {
        kind: 'trade',
        venue: 'simulated',
        symbol,
        pass: 0,
        venueId: `t${index}`,
        exchangeTsMs,
        exchangeTsIsReceiveTime: index % 2 === 0,
        receivedTsMs: exchangeTsMs + 20,
        ordinal: index + 1,
        epoch: 1,
        price: `${60_000 + index}.5`,
        size: '0.25',
        aggressorSide: index % 3 === 0 ? 'sell' : 'buy',
      },
    };
  });
}

/** Trades of one hour, with its file if archived. */
export interface TradeHour {
  readonly hourMs: number;
  readonly trades: readonly StoredTrade[];
  file?: { readonly key: string; readonly sha256: string; readonly bytes: number };
}

/** Trades in an archive, except the last hours. */
export interface TradesMarket {
  readonly store: ObjectStore;
  readonly folder: string;
  readonly hours: TradeHour[];
  close(): Promise<void>;
}

/** Archives all but the last `hotHours` hours of trades, in its own folder unless a store is given. */
export async function archiveTrades(trades: readonly StoredTrade[], hotHours: number, given?: ObjectStore): Promise<TradesMarket> {
  const folder = await mkdtemp(join(tmpdir(), 'export-archive-'));
  const store = given ?? createFolderStore(folder);
  const byHour = new Map<number, StoredTrade[]>();
  for (const trade of trades) {
    const hourMs = Math.floor(trade.event.receivedTsMs / HOUR_MS) * HOUR_MS;
    byHour.set(hourMs, [...(byHour.get(hourMs) ?? []), trade]);
  }
  const hours: TradeHour[] = [...byHour].map(([hourMs, ofHour]) => ({ hourMs, trades: ofHour }));
  const writer = createArchiveWriter(store);
  for (const hour of hours.slice(0, hours.length - hotHours)) {
    const key = `channel=trades/symbol=${SYMBOL}/hour-${hour.hourMs}/part.parquet`;
    const manifest = await writer.write({ key, layout: archiveLayoutOf('trade'), rows: () => rowsOf(hour.trades), gapIds: [] });
    hour.file = { key, sha256: manifest.sha256, bytes: manifest.bytes };
  }
  await writer.close();
  return { store, folder, hours, close: () => rm(folder, { recursive: true, force: true }) };
}

async function* rowsOf(trades: readonly StoredTrade[]) {
  yield trades.map(({ event, flags }) => {
    const row = archiveRow(event.symbol, 'trade', { ...event, flags, payload: encodeEvent(event) }, event);
    if (row === undefined) throw new Error('a trade is not what its event says');
    return row;
  });
}
