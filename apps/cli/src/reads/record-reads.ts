import { listIn, type Read, SPAN } from './read';

/** Resources of `get` on the service's own track record. */
export const RECORD_READS: Readonly<Record<string, Read>> = {
  accuracy: {
    operation: 'getAccuracy',
    of: 'symbol',
    takes: SPAN,
    list: 'rows',
    columns: ['date', 'measure', 'compared_with', 'compared_total', 'equal_total', 'differing_total', 'not_compared_total', 'last_run_utc'],
    isOnePage: true,
    summary: 'comparison of recorded values with the venue',
  },
  incidents: {
    operation: 'listIncidents',
    of: 'symbols',
    takes: ['limit', 'from', 'to'],
    list: 'rows',
    rows: (answer) => listIn(answer, 'rows').map((row) => ({ ...row, closed_utc: row['closed_utc'] ?? 'open' })),
    columns: ['kind', 'opened_utc', 'closed_utc', 'symbols', 'sentence'],
    notes: ({ incomplete }) =>
      (Array.isArray(incomplete) ? incomplete : []).map(
        ({ part, kinds }: { readonly part: string; readonly kinds: readonly string[] }) =>
          `the list is incomplete: ${part.replaceAll('_', ' ')} did not respond, ${kinds.join(', ')} may be missing`,
      ),
    summary: 'incidents, newest first',
  },
  latency: {
    operation: 'getLatencyStatus',
    of: 'symbols',
    takes: ['from', 'to'],
    list: 'rows',
    columns: [
      'date',
      'closing_tick_to_packet.p50_ms',
      'closing_tick_to_packet.p99_ms',
      'packet_to_gateway.p99_ms',
      'closing_tick_to_gateway.p50_ms',
      'closing_tick_to_gateway.p99_ms',
      'closing_tick_to_gateway.packet_total',
      'closing_tick_to_gateway.minutes_without_figures',
    ],
    isOnePage: true,
    summary: 'packet latency by day',
  },
  sla: {
    operation: 'getSlaStatus',
    of: 'symbols',
    takes: ['from', 'to'],
    list: 'rows',
    columns: [
      'month',
      'windows.share',
      'windows.in_time_total',
      'windows.due_total',
      'windows.without_figures_total',
      'reads.share',
      'reads.answered_total',
      'reads.failed_total',
      'reads.minutes_without_figures',
    ],
    isOnePage: true,
    summary: 'packets on time and reads served, by month',
  },
};
