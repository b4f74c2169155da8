import type { Dashboard } from './board';

export const webhooks: Dashboard = {
  id: 'webhooks',
  title: 'webhooks',
  panels: [
    {
      title: 'Longest due',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 60,
      queries: [{ expr: 'max by (lane) (webhook_oldest_due_seconds)', legend: '{{lane}} endpoints' }],
    },
    {
      title: 'Attempts',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (class) (rate(webhook_attempts_total[$__rate_interval]))', legend: '{{class}}' }],
    },
    {
      title: 'From due to sent',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        { expr: 'histogram_quantile(0.5, sum by (le) (rate(webhook_due_age_seconds_bucket[10m])))', legend: 'p50' },
        { expr: 'histogram_quantile(0.99, sum by (le) (rate(webhook_due_age_seconds_bucket[10m])))', legend: 'p99' },
      ],
    },
    {
      title: 'Time of an attempt, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [{ expr: 'histogram_quantile(0.99, sum by (le) (rate(webhook_attempt_seconds_bucket[10m])))', legend: 'p99' }],
    },
    {
      title: 'Endpoints',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [
        { expr: 'max by (status) (webhook_endpoints)', legend: '{{status}}' },
        { expr: 'max(webhook_breakers_open)', legend: 'breaker open' },
      ],
    },
    {
      title: 'Attempts under way',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [
        { expr: 'sum(webhook_active)', legend: 'in their first 250 ms' },
        { expr: 'sum(webhook_parked)', legend: 'longer' },
      ],
    },
    {
      title: 'From the end of a window to its rules, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [{ expr: 'histogram_quantile(0.99, sum by (le) (rate(alert_evaluation_lag_seconds_bucket[10m])))', legend: 'p99' }],
    },
    {
      title: 'Attempts that the guard refused',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (reason) (rate(webhook_guard_refusals_total[$__rate_interval]))', legend: '{{reason}}' }],
    },
  ],
};
