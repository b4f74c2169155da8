import type { Pool } from 'pg';
import { firstWindowWithoutFile, hourEnd, hourOf, newestWindowEnd } from '../store/archive-files';
import type { ArchivedKind } from './archived-kind';

/**
 * The oldest hour of a symbol's rows that has no file and is over: a window of a later hour has its packet. Undefined when
 * there is none.
 */
export async function nextFinishedHour(pool: Pool, { channel, table }: ArchivedKind, symbol: string): Promise<number | undefined> {
  const firstMs = await firstWindowWithoutFile(pool, table, channel, symbol);
  if (firstMs === undefined) return undefined;
  const hourMs = hourOf(firstMs);
  return hourEnd(hourMs) <= ((await newestWindowEnd(pool, symbol)) ?? 0) ? hourMs : undefined;
}
