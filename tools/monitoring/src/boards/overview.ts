import type { Board } from './board';

export const overview: Board = {
  id: 'overview',
  title: 'overview',
  panels: [
    {
      title: 'Symbols',
      kind: { rowsBy: 'symbol' },
      unit: 'short',
      width: 24,
      queries: [
        { expr: 'max by (symbol) (packet_age_seconds)', legend: 'packet age, s' },
        { expr: 'min by (symbol) (feed_silence_seconds)', legend: 'feed age, s' },
        { expr: 'max by (symbol) (data_gaps)', legend: 'gaps of 24 h' },
        { expr: 'max by (symbol) (recorder_lag_entries)', legend: 'entries to record' },
        { expr: 'max by (symbol) (feed_paused)', legend: 'paused' },
      ],
    },
    {
      title: 'Age of the newest packet',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 30,
      queries: [{ expr: 'max by (symbol) (packet_age_seconds)', legend: '{{symbol}}' }],
    },
    {
      title: 'Closing tick to packet at a gateway',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 0.05,
      queries: [
        { expr: 'histogram_quantile(0.5, sum by (le) (rate(packet_close_to_gateway_seconds_bucket[10m])))', legend: 'p50' },
        { expr: 'histogram_quantile(0.99, sum by (le) (rate(packet_close_to_gateway_seconds_bucket[10m])))', legend: 'p99' },
      ],
    },
    {
      title: 'Silence of the market',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 60,
      queries: [{ expr: 'min by (symbol) (feed_silence_seconds)', legend: '{{symbol}}' }],
    },
    {
      title: 'Entries appended',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (symbol) (rate(feed_entries_appended_total[$__rate_interval]))', legend: '{{symbol}}' }],
    },
    {
      title: 'Packets labelled',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (symbol) (rate(labeling_packets_total[$__rate_interval]))', legend: '{{symbol}}' }],
    },
    {
      title: 'Delay of event loops, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 0.1,
      queries: [{ expr: 'max by (process) (event_loop_delay_p99_seconds)', legend: '{{process}}' }],
    },
    {
      title: 'Processes that answer',
      kind: 'value',
      unit: 'none',
      width: 12,
      queries: [{ expr: 'sum by (process) (up{job="market-state"})', legend: '{{process}}' }],
    },
    {
      title: 'Memory',
      kind: 'lines',
      unit: 'bytes',
      width: 12,
      queries: [{ expr: 'sum by (process) (process_resident_memory_bytes)', legend: '{{process}}' }],
    },
  ],
};
