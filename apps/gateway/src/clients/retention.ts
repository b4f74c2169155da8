import { failedPrecondition } from '@market-state/errors';
import { toUtc } from '../serving/meta/instant';
import type { MarketDataClient } from './market-data-client';

/** Exchange time of the oldest row kept of a symbol (null: of any), milliseconds; null when there is none. */
export async function oldestKept(client: MarketDataClient, symbol: string | null): Promise<number | null> {
  const { symbols } = await client.call.getCatalog({ asOfMs: 0 });
  const firsts = symbols
    .filter((entry) => symbol === null || entry.symbol === symbol)
    .flatMap(({ channels }) => channels.map(({ firstMs }) => firstMs).filter((firstMs) => firstMs > 0));
  return firsts.length === 0 ? null : Math.min(...firsts);
}

/**
 * Refuses a read of an instant from before what is kept of a symbol (null: of any symbol).
 * @throws ServiceError `beyond_retention` with the oldest instant
 */
export async function refuseBeforeRetention(client: MarketDataClient, symbol: string | null, instantMs: number): Promise<void> {
  const oldestMs = await oldestKept(client, symbol);
  if (oldestMs === null || instantMs >= oldestMs) return;
  const sentence = `Nothing from before ${toUtc(oldestMs)} is kept${symbol === null ? '' : ` of ${symbol}`}.`;
  throw failedPrecondition('beyond_retention', sentence, { metadata: { oldest_ms: String(oldestMs) } });
}
