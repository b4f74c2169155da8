import type { marketData } from '@market-state/contracts';
import { instantFaults, optionalSpanFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { type RpcDeps, refuseUnserved } from './deps';
import { dayOf } from '../store/partitions';
import { DAYS_MAX, daySpanFaults } from '../window/channel-days';
import { differencesOf, largestOf } from '../audit/differences';
import { readDifferenceRuns, AUDIT_KEPT_DAYS, type AuditDay, type DifferenceRun, readAuditDays } from '../store/audit-results';
import { DAY_MS } from '@market-state/market-data';

const DIFFERENCES_MAX = 200;

export async function getAccuracy(deps: RpcDeps, request: marketData.GetAccuracyRequest): Promise<marketData.GetAccuracyResponse> {
  const { symbol } = request;
  const nowMs = deps.wallNowMs();
  const asOfMs = request.asOfMs === 0 ? nowMs : Math.min(request.asOfMs, nowMs);
  const lastDayMs = dayOf(request.toMs === 0 ? asOfMs : request.toMs - 1);
  const firstDayMs = request.fromMs === 0 ? lastDayMs - (DAYS_MAX - 1) * DAY_MS : dayOf(request.fromMs);
  refuseFaults(
    symbol === '' ? [] : symbolFaults(symbol),
    instantFaults('as_of_ms', request.asOfMs),
    optionalSpanFaults(['from_ms', request.fromMs], ['to_ms', request.toMs]),
    daySpanFaults({ firstDayMs, lastDayMs }),
  );
  if (symbol !== '') refuseUnserved(deps, symbol);
  const symbols = symbol === '' ? deps.tail.symbols : [symbol];
  const query = { symbols, fromMs: firstDayMs, toMs: lastDayMs + DAY_MS, asOfMs };
  const [days, runs] = await Promise.all([readAuditDays(deps.pool, query), readDifferenceRuns(deps.pool, query)]);
  const differences = differencesOf(runs);
  return {
    asOfMs,
    days: days.map((day) => ({ ...day, reasons: [...day.reasons], largest: largestOf(runs.filter((each) => isOf(day, each))) })),
    differences: differences.slice(0, DIFFERENCES_MAX),
    differenceTotal: differences.length,
    keptDays: AUDIT_KEPT_DAYS,
  };
}

function isOf({ symbol, measure, dayMs }: AuditDay, run: DifferenceRun): boolean {
  return run.symbol === symbol && run.measure === measure && dayOf(Number(run.run_ms)) === dayMs;
}
