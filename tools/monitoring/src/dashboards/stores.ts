import type { Dashboard } from './board';

export const stores: Dashboard = {
  id: 'stores',
  title: 'stores',
  panels: [
    {
      title: 'Memory of the event log, of what pauses the feed',
      kind: 'lines',
      unit: 'percentunit',
      width: 12,
      redFrom: 0.8,
      queries: [{ expr: 'max by (symbol) (event_log_memory_bytes / event_log_memory_limit_bytes)', legend: '{{symbol}}' }],
    },
    {
      title: 'Entries to record',
      kind: 'lines',
      unit: 'short',
      width: 12,
      redFrom: 5_000,
      queries: [{ expr: 'max by (symbol) (recorder_lag_entries)', legend: '{{symbol}}' }],
    },
    {
      title: 'Time of a commit of rows, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [{ expr: 'histogram_quantile(0.99, sum by (le) (rate(recorder_commit_seconds_bucket[$__rate_interval])))', legend: 'p99' }],
    },
    {
      title: 'Rows recorded',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (symbol) (rate(recorder_rows_total[$__rate_interval]))', legend: '{{symbol}}' }],
    },
    {
      title: 'Age of the oldest hour without a file, h',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'max(archive_lag_hours)', legend: 'rows' }],
    },
    {
      title: 'What cannot be archived or dropped',
      kind: 'lines',
      unit: 'short',
      width: 12,
      redFrom: 1,
      queries: [
        { expr: 'sum(archive_blocked_hours)', legend: 'hours of rows' },
        { expr: 'sum(archive_retention_blocked)', legend: 'channels past their days' },
        { expr: 'sum(labeling_archive_blocked)', legend: 'packets and checkpoints' },
      ],
    },
    {
      title: 'Days until the disk of the archive is full',
      kind: 'value',
      unit: 'd',
      width: 8,
      queries: [{ expr: 'min(storage_days_left)', legend: 'days' }],
    },
    {
      title: 'Free bytes of that disk',
      kind: 'value',
      unit: 'bytes',
      width: 8,
      queries: [{ expr: 'min(storage_disk_free_bytes)', legend: 'free' }],
    },
    {
      title: 'Bytes written in a day',
      kind: 'value',
      unit: 'bytes',
      width: 8,
      queries: [{ expr: 'max(storage_bytes_a_day)', legend: 'a day' }],
    },
    {
      title: 'Standbys of Postgres: log still to replay',
      kind: 'lines',
      unit: 'bytes',
      width: 12,
      redFrom: 67_108_864,
      queries: [
        {
          expr: 'max by (instance, application_name) (pg_stat_replication_pg_wal_lsn_diff)',
          legend: '{{instance}}: {{application_name}}',
        },
      ],
    },
    {
      title: 'Time until certificates end',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [{ expr: 'min by (service) (rpc_certificate_seconds_left)', legend: '{{service}}' }],
    },
    {
      title: 'RPCs that failed',
      kind: 'lines',
      unit: 'cps',
      width: 24,
      queries: [
        {
          expr: 'sum by (service, code) (rate(grpc_server_handling_seconds_count{code!="OK"}[$__rate_interval]))',
          legend: '{{service}}: {{code}}',
        },
      ],
    },
  ],
};
