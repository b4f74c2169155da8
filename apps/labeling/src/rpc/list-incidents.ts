import type { labeling } from '@market-state/contracts';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { refuseFaults } from '@market-state/request-checks';
import { FIGURES_KEPT_MS, incidentPage, lateIncidents, minuteOf, settledToMs } from '@market-state/service-figures';
import { assertServed } from './assert-served';
import type { FigureRpcDeps } from './figure-request';

/** Of every symbol that is served, whatever is asked for: an incident names all of its symbols. */
export async function listIncidents(
  { figures, symbols, clock }: FigureRpcDeps,
  { filter }: labeling.ListIncidentsRequest,
): Promise<labeling.ListIncidentsResponse> {
  const nowMs = clock();
  const { wanted, faults } = fromIncidentFilter(filter, nowMs);
  refuseFaults(faults);
  if (wanted.symbol !== null) assertServed([wanted.symbol], symbols);
  const since = await figures.countedSince();
  const toMs = settledToMs(nowMs);
  const { minutes, unknown } = await figures.late({ symbols, fromMs: minuteOf(nowMs - FIGURES_KEPT_MS), toMs }, since);
  return { incidents: incidentPage(lateIncidents(minutes, unknown, toMs), wanted).map(toProtoIncident) };
}
