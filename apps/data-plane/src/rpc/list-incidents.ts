import type { marketData } from '@market-state/contracts';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { refuseFaults } from '@market-state/request-checks';
import { incidentPage, GAP_INCIDENT_MS, gapIncident, type Incident, incidentOf } from '@market-state/service-figures';
import type { Pool } from 'pg';
import { type RpcDeps, refuseUnserved } from './deps';
import { differencesOf } from '../audit/differences';
import { readDifferenceRuns } from '../store/audit-results';
import { listLongGaps } from '../store/gaps';

/** What incidents of the data plane are worked out from. */
interface IncidentDeps {
  readonly pool: Pool;
}

/** Symbols, and a span that incidents overlap; `nowMs` by the wall clock. */
interface IncidentSpan {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

/** Works out incidents from what is stored, in no order. */
type IncidentSource = (deps: IncidentDeps, span: IncidentSpan) => Promise<readonly Incident[]>;

/** Kinds `feed_silent` and `gap`, from the gap ledger. */
const gapIncidents: IncidentSource = async ({ pool }, { symbols, fromMs, toMs, nowMs }) => {
  const gaps = await listLongGaps(pool, { symbols, fromMs, toMs, nowMs, lengthMsMin: GAP_INCIDENT_MS });
  return gaps.flatMap((gap) => gapIncident(gap, nowMs) ?? []);
};

/**
 * Kind `audit_differs`, from every run that found a difference: one that began long before a span may last into it, though no run of the
 * span had anything to compare.
 */
const auditIncidents: IncidentSource = async ({ pool }, { symbols, toMs, nowMs }) => {
  const runs = await readDifferenceRuns(pool, { symbols, fromMs: 0, toMs, asOfMs: nowMs });
  return differencesOf(runs).map(({ differenceId, symbol, openedMs, closedMs, sentence }) =>
    incidentOf({
      kind: 'audit_differs',
      openedMs,
      closedMs: closedMs === 0 ? null : closedMs,
      symbols: [symbol],
      gapIds: [],
      sentence,
      of: differenceId,
    }),
  );
};

/** Every source: an answer has the incidents of all of them. */
export const INCIDENT_SOURCES: readonly IncidentSource[] = [gapIncidents, auditIncidents];

/** What went wrong with the feeds of one symbol or of all, the newest first. */
export async function listIncidents(deps: RpcDeps, { filter }: marketData.ListIncidentsRequest): Promise<marketData.ListIncidentsResponse> {
  const nowMs = deps.wallNowMs();
  const { wanted, faults } = fromIncidentFilter(filter, nowMs);
  refuseFaults(faults);
  const { symbol, fromMs, toMs } = wanted;
  if (symbol !== null) refuseUnserved(deps, symbol);
  const span = { symbols: symbol === null ? deps.tail.symbols : [symbol], fromMs, toMs, nowMs };
  const incidents = await Promise.all(INCIDENT_SOURCES.map((source) => source(deps, span)));
  return { incidents: incidentPage(incidents.flat(), wanted).map(toProtoIncident) };
}
