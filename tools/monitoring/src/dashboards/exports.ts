import type { Dashboard } from './board';

export const exportJobs: Dashboard = {
  id: 'exports',
  title: 'exports',
  panels: [
    {
      title: 'Wait of the oldest job',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 300,
      queries: [{ expr: 'max(export_oldest_queued_seconds)', legend: 'oldest' }],
    },
    {
      title: 'Jobs that have not ended',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'max by (status) (export_jobs)', legend: '{{status}}' }],
    },
    {
      title: 'From order to first part',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        { expr: 'histogram_quantile(0.5, sum by (le) (rate(export_queue_wait_seconds_bucket[1h])))', legend: 'p50' },
        { expr: 'histogram_quantile(0.99, sum by (le) (rate(export_queue_wait_seconds_bucket[1h])))', legend: 'p99' },
      ],
    },
    {
      title: 'Time of a part, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        {
          expr: 'histogram_quantile(0.99, sum by (le, dataset, format) (rate(export_part_seconds_bucket[1h])))',
          legend: '{{dataset}} as {{format}}',
        },
      ],
    },
    {
      title: 'Rows',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (dataset) (rate(export_rows_total[$__rate_interval]))', legend: '{{dataset}}' }],
    },
    {
      title: 'Bytes made and downloaded',
      kind: 'lines',
      unit: 'Bps',
      width: 12,
      queries: [
        { expr: 'sum(rate(export_bytes_total[$__rate_interval]))', legend: 'made' },
        { expr: 'sum(rate(export_download_bytes_total[$__rate_interval]))', legend: 'downloaded' },
      ],
    },
    {
      title: 'Workers that pause since the disk is nearly full',
      kind: 'value',
      unit: 'none',
      width: 12,
      redFrom: 1,
      queries: [{ expr: 'sum(export_paused_for_space)', legend: 'paused' }],
    },
    {
      title: 'Made, and not charged yet',
      kind: 'value',
      unit: 'none',
      width: 12,
      queries: [{ expr: 'max(export_settle_pending)', legend: 'jobs' }],
    },
  ],
};
