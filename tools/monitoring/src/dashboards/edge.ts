import type { Dashboard } from './board';

const LATEST = 'http_server_request_seconds_bucket{service="gateway",route="/api/public/market-state/latest"}';

export const edge: Dashboard = {
  id: 'edge',
  title: 'edge',
  panels: [
    {
      title: 'Calls',
      kind: 'lines',
      unit: 'reqps',
      width: 12,
      queries: [
        { expr: 'sum by (status) (rate(http_server_request_seconds_count{service="gateway"}[$__rate_interval]))', legend: '{{status}}' },
      ],
    },
    {
      title: 'Share of 5xx',
      kind: 'lines',
      unit: 'percentunit',
      width: 12,
      redFrom: 0.001,
      queries: [
        {
          expr:
            '(sum(rate(http_server_request_seconds_count{service="gateway",status=~"5.."}[$__rate_interval])) or vector(0))' +
            ' / sum(rate(http_server_request_seconds_count{service="gateway"}[$__rate_interval]))',
          legend: '5xx',
        },
      ],
    },
    {
      title: 'The newest packet',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 0.05,
      queries: [
        { expr: `histogram_quantile(0.5, sum by (le) (rate(${LATEST}[$__rate_interval])))`, legend: 'p50' },
        { expr: `histogram_quantile(0.99, sum by (le) (rate(${LATEST}[$__rate_interval])))`, legend: 'p99' },
      ],
    },
    {
      title: 'Slowest routes, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      queries: [
        {
          expr:
            'topk(8, histogram_quantile(0.99, sum by (le, route)' +
            ' (rate(http_server_request_seconds_bucket{service="gateway"}[$__rate_interval]))))',
          legend: '{{route}}',
        },
      ],
    },
    {
      title: 'Delay of the event loop, p99',
      kind: 'lines',
      unit: 's',
      width: 12,
      redFrom: 0.1,
      queries: [{ expr: 'max by (instance) (event_loop_delay_p99_seconds{service="gateway"})', legend: '{{instance}}' }],
    },
    {
      title: 'How much is refused for the load: 0 nothing to 3 all but the newest packet',
      kind: 'lines',
      unit: 'none',
      width: 12,
      redFrom: 1,
      queries: [{ expr: 'max by (instance) (load_level)', legend: '{{instance}}' }],
    },
    {
      title: 'Calls refused',
      kind: 'lines',
      unit: 'reqps',
      width: 12,
      queries: [
        { expr: 'sum by (class) (rate(requests_rate_limited_total[$__rate_interval]))', legend: 'rate limit of {{class}}' },
        { expr: 'sum by (level) (rate(calls_shed_total[$__rate_interval]))', legend: 'load level {{level}}' },
        { expr: 'sum by (reason) (rate(connections_refused_total[$__rate_interval]))', legend: 'connections: {{reason}}' },
        { expr: 'sum(rate(credentials_rate_limited_total[$__rate_interval]))', legend: 'refused credentials' },
      ],
    },
    {
      title: 'Calls in flight, by weight',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'sum by (instance) (calls_in_flight_weight)', legend: '{{instance}}' }],
    },
    {
      title: 'Event streams open',
      kind: 'lines',
      unit: 'short',
      width: 12,
      queries: [{ expr: 'sum by (route) (event_stream_clients)', legend: '{{route}}' }],
    },
    {
      title: 'CPU of gateways',
      kind: 'lines',
      unit: 'percentunit',
      width: 12,
      queries: [
        { expr: 'sum by (instance) (rate(process_cpu_seconds_total{service="gateway"}[$__rate_interval]))', legend: '{{instance}}' },
      ],
    },
  ],
};
