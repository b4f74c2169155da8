/** Series that come with their first occasion, by the metric or by one selector of it: what must happen first. */
export const ABSENT_UNTIL: Readonly<Record<string, string>> = {
  'http_server_request_seconds_count{service="gateway",status=~"5.."}': 'a call is answered with a 5xx',
  calls_shed_total: 'a call is refused for the load',
  requests_rate_limited_total: 'a call is over a rate limit',
  connections_refused_total: 'a connection is refused',
  webhook_guard_refusals_total: 'an endpoint has an address that the guard refuses',
  rpc_certificate_seconds_left: 'services know each other by certificates: with TLS_DIR, always in production',
};

/** Metrics that Prometheus has from elsewhere than our processes: from whom. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  up: 'Prometheus itself',
  pg_stat_replication_pg_wal_lsn_diff: "Prometheus's exporter of Postgres, where there is a standby",
};
