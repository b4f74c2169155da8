import type { Dashboard } from './board';

export const credits: Dashboard = {
  id: 'credits',
  title: 'credits',
  panels: [
    {
      title: 'Faults of the ledger',
      kind: 'value',
      unit: 'none',
      width: 8,
      redFrom: 1,
      queries: [{ expr: 'max(ledger_audit_faults)', legend: 'faults' }],
    },
    {
      title: 'Time since the last audit',
      kind: 'value',
      unit: 's',
      width: 8,
      redFrom: 10_800,
      queries: [{ expr: 'time() - max(ledger_audit_timestamp_seconds)', legend: 'audit' }],
    },
    {
      title: 'Charges that account could not take',
      kind: 'value',
      unit: 'none',
      width: 8,
      redFrom: 1,
      queries: [{ expr: 'sum(increase(credit_charges_forgiven_total[24h]))', legend: 'in 24 h' }],
    },
    {
      title: 'Credits charged',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [{ expr: 'sum by (family) (rate(credits_charged_total[$__rate_interval]))', legend: '{{family}}' }],
    },
    {
      title: 'Calls without credits',
      kind: 'lines',
      unit: 'cps',
      width: 12,
      queries: [
        { expr: 'sum by (service, reason) (rate(credit_leases_refused_total[$__rate_interval]))', legend: '{{service}}: {{reason}}' },
      ],
    },
    {
      title: 'Leases held',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'sum by (service) (credit_leases_held)', legend: '{{service}}' }],
    },
    {
      title: 'RPCs of account, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        {
          expr:
            'topk(8, histogram_quantile(0.99, sum by (le, method)' +
            ' (rate(grpc_server_handling_seconds_bucket{service="account"}[$__rate_interval]))))',
          legend: '{{method}}',
        },
      ],
    },
  ],
};
