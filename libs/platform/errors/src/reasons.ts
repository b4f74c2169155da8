import type { ProblemCode } from './problems';

/**
 * Reasons between services, finer than gRPC codes, each with its public error code; null if the gRPC code decides.
 * Reasons never change their meaning.
 */
export const ERROR_REASONS = {
  /** See `faults`. */
  invalid_argument: null,
  /** Metadata `symbols` lists those served. */
  unknown_symbol: 'unknown_symbol',
  /** Not received yet. */
  book_not_available: 'upstream_unavailable',
  no_packet_yet: 'no_packet_yet',
  other_shard: null,
  unknown_packet: null,
  /** Metadata `shareable_ms`. */
  packet_too_young: 'packet_too_young',
  live_sharing_off: 'live_sharing_off',
  /** Metadata `limit`. */
  too_many_shares: 'too_many_shares',
  /** Or another tenant's, as for all unknown resources. */
  unknown_share: null,
  checkpoint_not_found: null,
  /** Metadata `first_ordinal`, the oldest entry after the missing ones, if any. */
  log_not_retained: null,
  /** Metadata `after_ordinal` and `next_ordinal` surround the gap. */
  log_incomplete: null,
  /** Metadata `oldest_ms`. */
  beyond_retention: 'beyond_retention',
  /** Metadata `symbol`, `channel`, `hour_ms`. */
  archive_corrupt: 'internal',
  unknown_job: null,
  unknown_file: null,
  job_not_ready: 'job_not_ready',
  /** Metadata `error_reason`. */
  job_failed: 'job_failed',
  job_cancelled: 'job_cancelled',
  /** Metadata `expired_ms`. */
  job_expired: 'job_expired',
  nothing_recorded: 'nothing_recorded',
  /** Metadata `bytes`, `bytes_max`. */
  result_too_large: null,
  /** The tenant's queue is full. */
  too_many_calls_at_once: 'too_many_calls_at_once',
  /** Metadata `retry_after_s`. */
  too_many_jobs: 'too_many_jobs',
  too_many_downloads: 'too_many_downloads',
  /** Metadata `bytes`. */
  range_not_satisfiable: null,
  unknown_key: null,
  unknown_session: null,
  unknown_member: null,
  unknown_invitation: null,
  /** Metadata `role`, the one needed. */
  insufficient_role: 'insufficient_role',
  last_owner: 'conflict',
  /** With pending invitations. */
  too_many_members: 'conflict',
  /** Unknown, used, withdrawn, replaced or expired token, or the email has an account. */
  invitation_refused: 'invitation_refused',
  too_many_keys: 'conflict',
  /** Cannot be changed or rotated. */
  key_ended: null,
  /** Its secret cannot be shown again. */
  key_in_use: null,
  /** Per address; metadata `retry_after_s`. */
  too_many_sandbox_keys: 'too_many_attempts',
  /** Per address or in total; metadata `retry_after_s`. */
  too_many_trials: 'too_many_attempts',
  /** Invalid key or token, or the email has an account. */
  claim_refused: 'claim_refused',
  /** Without key and token, this installation offers no account. */
  trial_not_offered: null,
  login_refused: 'login_refused',
  /** The password is right, or the provider has identified the person. */
  second_factor_required: 'second_factor_required',
  /** No provider is configured. */
  oidc_off: null,
  /** Unknown, used or expired login, or the state of another one. */
  oidc_expired: 'oidc_refused',
  /** The provider refuses, or its answer is invalid. */
  oidc_denied: 'oidc_refused',
  /** No account, or one with an unverified email or another subject. */
  oidc_refused: 'oidc_refused',
  oidc_unavailable: 'login_provider_unavailable',
  /** Files start before the symbol's log ends, or another import of it runs. */
  import_refused: null,
  second_factor_enabled: 'conflict',
  second_factor_disabled: 'conflict',
  /** Unknown, used, replaced or expired token. */
  reset_refused: 'reset_refused',
  /** Metadata `retry_after_s`. */
  too_many_attempts: 'too_many_attempts',
  /** Metadata `retry_after_s`. */
  password_work_full: 'upstream_unavailable',
  unknown_tenant: null,
  /** Or another provider's. */
  unknown_order: null,
  order_not_open: null,
  subscription_running: null,
  /** Or it refused. */
  billing_provider_unavailable: 'billing_provider_unavailable',
  billing_signature_refused: 'billing_signature_refused',
  /** The configured provider sends no events. */
  billing_events_not_expected: null,
  /** Another owner has the call, or it has ended. */
  fence_passed: null,
  /** Released. */
  lease_over: null,
  /** Settled, released or expired. */
  reservation_over: null,
  /** In a lease whose gateway does not answer; metadata `retry_after_s`. */
  credits_held: null,
  unknown_watchlist: null,
  unknown_saved_search: null,
  unknown_endpoint: null,
  unknown_message: null,
  unknown_task: null,
  /** Metadata `limit`. */
  too_many_watchlists: 'too_many_watchlists',
  /** Metadata `limit`. */
  too_many_saved_searches: 'too_many_saved_searches',
  /** Metadata `limit`. */
  too_many_endpoints: 'too_many_endpoints',
  /** Not verified by a test, or disabled. */
  endpoint_not_live: null,
  /** Metadata `disabled_reason`. */
  endpoint_disabled: null,
  no_signing_secret: 'no_signing_secret',
  /** Packets × rules; metadata `steps`, `steps_max`, and the newest span that fits. */
  rehearsal_too_long: null,
  not_found: null,
  unauthenticated: 'unauthenticated',
  /** Unrelated to user credentials. */
  caller_not_proved: 'upstream_unavailable',
  caller_not_allowed: 'upstream_unavailable',
  starting: null,
  stopping: null,
  upstream_unavailable: null,
  upstream_deadline: null,
  deadline_exceeded: null,
  cancelled: null,
  overloaded: 'overloaded',
  message_too_large: 'internal',
  unimplemented: null,
  internal: null,
} as const satisfies Readonly<Record<string, ProblemCode | null>>;

export type ErrorReason = keyof typeof ERROR_REASONS;

export function isErrorReason(word: string): word is ErrorReason {
  return Object.hasOwn(ERROR_REASONS, word);
}
