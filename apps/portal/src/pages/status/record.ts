import type { Data } from '@market-state/client';
import { duration } from '@market-state/packet-figures';

export type Incident = Data<'listIncidents'>['rows'][number];
export type LatencyDay = Data<'getLatencyStatus'>['rows'][number];
export type Month = Data<'getSlaStatus'>['rows'][number];

/** Incidents that last come first, then those that are over, each the newest first. */
export function openFirst(incidents: readonly Incident[]): readonly Incident[] {
  return incidents.toSorted((one, other) => Number(one.closed_utc !== null) - Number(other.closed_utc !== null));
}

/** How long an incident lasted, up to an instant while it does. */
export function lastedWords({ opened_utc: opened, closed_utc: closed }: Incident, asOfUtc: string): string {
  const words = duration(Date.parse(closed ?? asOfUtc) - Date.parse(opened));
  return closed === null ? `${words} so far` : words;
}

/** `99.98 %`: rounded down, so that a share with something missing never reads as whole. */
export function shareWords(share: number | null): string {
  return share === null ? 'none yet' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

/** `12 and 41 ms`: what half and 99 in 100 of the packets took at most. */
export function stageWords({ p50_ms: half, p99_ms: most }: LatencyDay['closing_tick_to_packet']): string {
  if (half === null || most === null) return 'no packet';
  return `${half.toLocaleString('en-US')} and ${most.toLocaleString('en-US')} ms`;
}

/** What of an answer is missing, by the parts that did not give it; empty where it is whole. */
export function incompleteWords(parts: Data<'listIncidents'>['incomplete']): string {
  if (parts.length === 0) return '';
  const kinds = parts.flatMap((part) => part.kinds).map((kind) => kind.replaceAll('_', ' '));
  return `This list is not whole: it may lack ${kinds.join(', ')}, because a part of the service does not answer.`;
}
