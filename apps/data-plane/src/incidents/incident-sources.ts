import { GAP_INCIDENT_MS, gapIncident, type Incident } from '@market-state/service-figures';
import type { Pool } from 'pg';
import { listLongGaps } from '../store/incident-gaps';

/** What incidents of the data plane are worked out from. */
export interface IncidentDeps {
  readonly pool: Pool;
}

/** Symbols, and a span that incidents overlap; `nowMs` by the wall clock. */
export interface IncidentSpan {
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

/** Works out incidents from what is stored, in no order. */
export type IncidentSource = (deps: IncidentDeps, span: IncidentSpan) => Promise<readonly Incident[]>;

/** Kinds `feed_silent` and `gap`, from the gap ledger. */
const gapIncidents: IncidentSource = async ({ pool }, { symbols, fromMs, toMs, nowMs }) => {
  const gaps = await listLongGaps(pool, { symbols, fromMs, toMs, nowMs, lengthMsMin: GAP_INCIDENT_MS });
  return gaps.flatMap((gap) => gapIncident(gap, nowMs) ?? []);
};

/** Every source: an answer has the incidents of all of them. */
export const INCIDENT_SOURCES: readonly IncidentSource[] = [gapIncidents];
