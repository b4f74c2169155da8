import type { marketData } from '@market-state/contracts';
import { refuseFaults } from '@market-state/request-checks';
import { listLongGaps } from '../store/gaps';
import { type RpcDeps, refuseUnserved } from './deps';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { incidentPage, GAP_INCIDENT_MS, gapIncident, type Incident, incidentOf } from '@market-state/service-figures';
import type { Pool } from 'pg';
import { differencesOf } from '../audit/differences';
import { readDifferenceRuns } from '../store/audit-results';

interface IncidentDeps {
  readonly pool: Pool;
}

interface IncidentSpan {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

type IncidentSource = (deps: IncidentDeps, span: IncidentSpan) => Promise<readonly Incident[]>;

const gapIncidents: IncidentSource = async ({ pool }, { symbols, fromMs, toMs, nowMs }) => {
  const gaps = await listLongGaps(pool, { symbols, fromMs, toMs, nowMs, lengthMsMin: GAP_INCIDENT_MS });
  return gaps.flatMap((gap) => gapIncident(gap, nowMs) ?? []);
};

/** A difference found before the span can last into it without a run in it, so all earlier runs count. */
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

export const INCIDENT_SOURCES: readonly IncidentSource[] = [gapIncidents, auditIncidents];

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
