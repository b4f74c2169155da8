import type { account } from '@market-state/contracts';
import { optionalSpanFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { monthOf, monthsOf, settledToMs } from '@market-state/service-figures';
import { readMonths } from '../../figures/read-months';
import { listReadDays, readsCountedSince } from '../../store/read-figures';
import type { ReadFiguresDeps } from './record-read-minutes';

const MONTHS_MAX = 24;

export async function listReadMonths(
  { pool, clock }: ReadFiguresDeps,
  { fromMs, toMs }: account.ListReadMonthsRequest,
): Promise<account.ListReadMonthsResponse> {
  refuseFaults(
    optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
    rangeFaults('months', monthsOf(fromMs, toMs).length, 1, MONTHS_MAX),
  );
  const settledMs = settledToMs(clock());
  const [firstMs, endMs] = [monthOf(fromMs), Math.min(settledMs, toMs)];
  const [days, sinceMs] = await Promise.all([listReadDays(pool, firstMs, endMs), readsCountedSince(pool)]);
  const months = readMonths(firstMs, endMs, days, sinceMs);
  return { months: months.map((month) => ({ ...month })), settledToMs: settledMs, countedFromMs: sinceMs ?? 0 };
}
