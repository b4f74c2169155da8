import type { account } from '@market-state/contracts';
import { fromIncidentFilter, toProtoIncident } from '@market-state/incidents';
import { refuseFaults } from '@market-state/request-checks';
import { failureIncidents, FIGURES_KEPT_MS, incidentPage, minuteOf, settledToMs } from '@market-state/service-figures';
import { listFailedMinutes } from '../../store/read-figures';
import type { ReadFiguresDeps } from './record-read-minutes';

export async function listIncidents(
  { pool, clock }: ReadFiguresDeps,
  { filter }: account.ListIncidentsRequest,
): Promise<account.ListIncidentsResponse> {
  const nowMs = clock();
  const { wanted, faults } = fromIncidentFilter(filter, nowMs);
  refuseFaults(faults);
  const toMs = settledToMs(nowMs);
  const failed = await listFailedMinutes(pool, minuteOf(nowMs - FIGURES_KEPT_MS), toMs);
  return { incidents: incidentPage(failureIncidents(failed, toMs), wanted).map(toProtoIncident) };
}
