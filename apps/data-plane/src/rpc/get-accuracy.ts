import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { instantFaults, optionalSpanFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { differencesOf, largestOf } from '../audit/differences';
import { AUDIT_KEPT_DAYS, type AuditDay, type DifferenceRun, readAuditDays, readDifferenceRuns } from '../store/audit-results';
import { DAY_MS, dayOf } from '../store/partitions';
import { type RpcDeps, refuseUnserved } from './deps';

const DAYS_MAX = 31;
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
    lengthFaults(firstDayMs, lastDayMs),
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

function lengthFaults(firstDayMs: number, lastDayMs: number): Fault[] {
  if (lastDayMs - firstDayMs < DAYS_MAX * DAY_MS) return [];
  return [{ field: 'from_ms', message: `must lie within the ${DAYS_MAX} UTC days up to the end of the span`, type: 'out_of_range' }];
}
