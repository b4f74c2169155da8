import type { marketData } from '@market-state/contracts';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { refuseFaults } from '@market-state/request-checks';
import { incidentPage } from '@market-state/service-figures';
import { INCIDENT_SOURCES } from '../incidents/incident-sources';
import type { RpcDeps } from './deps';
import { refuseUnserved } from './served';

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
