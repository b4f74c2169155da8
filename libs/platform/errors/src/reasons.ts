import type { ProblemCode } from './problems';

/**
 * Reasons of errors between services: stable words, finer than gRPC codes, each with its public error code, or null if
 * the gRPC code decides. Reasons never change their meaning; add a new one for a new case.
 */
export const ERROR_REASONS = {
  /** `faults` names each invalid field. */
  invalid_argument: null,
  /** Well formed but not served; metadata `symbols` lists those served, comma-separated. */
  unknown_symbol: 'unknown_symbol',
  /** No book of the symbol has been received. */
  book_not_available: 'upstream_unavailable',
  no_packet_yet: 'no_packet_yet',
  /** Another process labels the symbol. */
  other_shard: null,
  unknown_packet: null,
  /** Not known long enough to share; metadata `shareable_ms` is the first instant at which it can be. */
  packet_too_young: 'packet_too_young',
  live_sharing_off: 'live_sharing_off',
  /** Metadata `limit`. */
  too_many_shares: 'too_many_shares',
  /** Unknown, or another tenant's. */
  unknown_share: null,
  checkpoint_not_found: null,
  /** Requested log entries are past retention; metadata `first_ordinal` is the oldest one after them, if any. */
  log_not_retained: null,
  /** Entries are missing inside the stored log; metadata `after_ordinal` and `next_ordinal` surround the gap. */
  log_incomplete: null,
  /** Metadata `oldest_ms` is the oldest time available. */
  beyond_retention: 'beyond_retention',
  /** An archive file differs from what was written; metadata `symbol`, `channel` and `hour_ms`. */
  archive_corrupt: 'internal',
  /** Unknown, or another tenant's. */
  unknown_job: null,
  unknown_file: null,
  job_not_ready: 'job_not_ready',
  /** Metadata `error_reason`. */
  job_failed: 'job_failed',
  job_cancelled: 'job_cancelled',
  /** Metadata `expired_ms`. */
  job_expired: 'job_expired',
  /** Nothing is recorded for the export's symbols. */
  nothing_recorded: 'nothing_recorded',
  /** Export size exceeds the plan; metadata `bytes` and `bytes_max`. */
  result_too_large: null,
  /** The tenant's queue for a service is full. */
  too_many_calls_at_once: 'too_many_calls_at_once',
  /** Metadata `retry_after_s`. */
  too_many_jobs: 'too_many_jobs',
  /** Concurrent downloads of the tenant. */
  too_many_downloads: 'too_many_downloads',
  /** Metadata `bytes`. */
  range_not_satisfiable: null,
  unknown_key: null,
  /** Active keys of the tenant. */
  too_many_keys: 'conflict',
  /** An expired or revoked key cannot be changed or rotated. */
  key_ended: null,
  /** The call already created a key that is now in use, so its secret cannot be shown again. */
  key_in_use: null,
  /** Sandbox keys per address; metadata `retry_after_s`. */
  too_many_sandbox_keys: 'too_many_attempts',
  /** Trials, per address or in total; metadata `retry_after_s`. */
  too_many_trials: 'too_many_attempts',
  /** The key or token is not valid, or the email has an account. */
  claim_refused: 'claim_refused',
  /** Neither key nor token, and this installation offers no trials. */
  trial_not_offered: null,
  login_refused: 'login_refused',
  /** Unknown, used, replaced or expired reset token. */
  reset_refused: 'reset_refused',
  /** Metadata `retry_after_s`. */
  too_many_attempts: 'too_many_attempts',
  /** Password hashing queue is full; metadata `retry_after_s`. */
  password_work_full: 'upstream_unavailable',
  unknown_tenant: null,
  /** Unknown, or another provider's. */
  unknown_order: null,
  /** Cancelled or expired. */
  order_not_open: null,
  /** The tenant already has a paid subscription. */
  subscription_running: null,
  /** Unreachable, or it refused. */
  billing_provider_unavailable: 'billing_provider_unavailable',
  /** The event's signature does not match the provider's secret. */
  billing_signature_refused: 'billing_signature_refused',
  /** The configured billing provider sends no events. */
  billing_events_not_expected: null,
  /** Another owner took over the call, or the call has ended. */
  fence_passed: null,
  /** The lease was released and cannot be charged. */
  lease_over: null,
  /** The reservation is settled, released or expired. */
  reservation_over: null,
  /** Enough credits exist, but in a lease whose gateway does not answer; metadata `retry_after_s`. */
  credits_held: null,
  unknown_watchlist: null,
  unknown_saved_search: null,
  unknown_endpoint: null,
  unknown_message: null,
  unknown_task: null,
  /** Plan limit; metadata `limit`. */
  too_many_watchlists: 'too_many_watchlists',
  /** Plan limit; metadata `limit`. */
  too_many_saved_searches: 'too_many_saved_searches',
  /** Plan limit; metadata `limit`. */
  too_many_endpoints: 'too_many_endpoints',
  /** The endpoint is not verified by a test yet, or is disabled. */
  endpoint_not_live: null,
  /** Metadata `disabled_reason`. */
  endpoint_disabled: null,
  /** Packets × rules exceed the limit; metadata `steps`, `steps_max`, and the newest span that fits. */
  rehearsal_too_long: null,
  /** Unknown, or another tenant's. */
  not_found: null,
  /** No valid credential. */
  unauthenticated: 'unauthenticated',
  /** The call does not prove which of our services makes it. Unrelated to user credentials. */
  caller_not_proved: 'upstream_unavailable',
  /** The calling service may not use this method. */
  caller_not_allowed: 'upstream_unavailable',
  /** The process is still rebuilding its state. */
  starting: null,
  /** The process is shutting down. */
  stopping: null,
  /** A required service or store is unreachable. */
  upstream_unavailable: null,
  /** A required service timed out. */
  upstream_deadline: null,
  /** The caller's deadline passed. */
  deadline_exceeded: null,
  /** The caller cancelled. */
  cancelled: null,
  /** Too many calls in flight. */
  overloaded: null,
  /** A message is larger than the limit. */
  message_too_large: 'internal',
  /** The method does not exist. */
  unimplemented: null,
  /** Unexpected error. */
  internal: null,
} as const satisfies Readonly<Record<string, ProblemCode | null>>;

export type ErrorReason = keyof typeof ERROR_REASONS;

/** True if a word from the wire is a known reason. */
export function isErrorReason(word: string): word is ErrorReason {
  return Object.hasOwn(ERROR_REASONS, word);
}
