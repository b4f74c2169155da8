import type { ProblemCode } from './problems';

/**
 * Every reason that an error between services can carry: a stable word, finer than its gRPC code, with the public error answer it
 * becomes; null where the gRPC code decides that. A reason never changes its meaning; a new case gets a new one.
 */
export const ERROR_REASONS = {
  /** One or more request fields are malformed or out of range; `faults` names each. */
  invalid_argument: null,
  /** The symbol is well formed but not served; metadata `symbols` lists those that are, comma separated. */
  unknown_symbol: 'unknown_symbol',
  /** No book of that symbol was ever seen. */
  book_not_available: 'upstream_unavailable',
  /** The symbol has no packet yet. */
  no_packet_yet: 'no_packet_yet',
  /** Another process labels the symbol, and streams its packets. */
  other_shard: null,
  /** No such packet. */
  unknown_packet: null,
  /** The packet has not been known for as long as a share asks for; metadata `shareable_ms` is the instant from which it can be shared. */
  packet_too_young: 'packet_too_young',
  /** This installation does not share packets of live venues. */
  live_sharing_off: 'live_sharing_off',
  /** The tenant has as many active shares as its plan allows; metadata `limit`. */
  too_many_shares: 'too_many_shares',
  /** No such share, or it is someone else's. */
  unknown_share: null,
  /** The symbol has no checkpoint at that window. */
  checkpoint_not_found: null,
  /** Entries of the log that were asked for are no longer kept; metadata `first_ordinal` is the oldest kept after them, if any. */
  log_not_retained: null,
  /** Entries are missing in the middle of the stored log; metadata `after_ordinal` and `next_ordinal` name those around them. */
  log_incomplete: null,
  /** What was asked for is older than what is kept; metadata `oldest_ms` is the oldest time available. */
  beyond_retention: 'beyond_retention',
  /** A file of the archive is not what was written; metadata `symbol`, `channel` and `hour_ms` name it. */
  archive_corrupt: 'internal',
  /** No such export job, or it is someone else's. */
  unknown_job: null,
  /** The export job has no such file. */
  unknown_file: null,
  /** The export job has not finished. */
  job_not_ready: 'job_not_ready',
  /** The job failed: it has no files; metadata `error_reason`. */
  job_failed: 'job_failed',
  /** The export job was cancelled: it has no files. */
  job_cancelled: 'job_cancelled',
  /** The files of the job were deleted; metadata `expired_ms`. */
  job_expired: 'job_expired',
  /** Nothing is recorded yet of the symbols of the export. */
  nothing_recorded: 'nothing_recorded',
  /** The files of an export would be larger than the plan allows; metadata `bytes` and `bytes_max`. */
  result_too_large: null,
  /** Too many calls of the tenant wait for a service already. */
  too_many_calls_at_once: 'too_many_calls_at_once',
  /** The tenant has as many export jobs queued as allowed; metadata `retry_after_s`. */
  too_many_jobs: 'too_many_jobs',
  /** As many downloads of the tenant are running as allowed. */
  too_many_downloads: 'too_many_downloads',
  /** The range of bytes lies outside the file; metadata `bytes`. */
  range_not_satisfiable: null,
  /** No such key. */
  unknown_key: null,
  /** The tenant has as many active keys as allowed. */
  too_many_keys: 'conflict',
  /** The key has expired or was revoked: it can be neither changed nor rotated. */
  key_ended: null,
  /** The call made its key before, and the key is in use: its secret cannot be shown again. */
  key_in_use: null,
  /** The address has used up its sandbox keys; metadata `retry_after_s`. */
  too_many_sandbox_keys: 'too_many_attempts',
  /** As many trials were opened as allowed, from the address or in all; metadata `retry_after_s`. */
  too_many_trials: 'too_many_attempts',
  /** A claim's key or token is not valid, or the email has an account. */
  claim_refused: 'claim_refused',
  /** Neither key nor token, and this installation opens no trials. */
  trial_not_offered: null,
  /** Wrong email or password. */
  login_refused: 'login_refused',
  /** A reset token that is unknown, used, replaced or too old. */
  reset_refused: 'reset_refused',
  /** Attempts must wait; metadata `retry_after_s`. */
  too_many_attempts: 'too_many_attempts',
  /** As many passwords as allowed are being hashed or waiting; metadata `retry_after_s`. */
  password_work_full: 'upstream_unavailable',
  /** No such tenant. */
  unknown_tenant: null,
  /** No such order, or not one of this provider. */
  unknown_order: null,
  /** The order was cancelled or has expired. */
  order_not_open: null,
  /** The tenant pays for its plan by a running subscription. */
  subscription_running: null,
  /** The billing provider cannot be reached, or refuses. */
  billing_provider_unavailable: 'billing_provider_unavailable',
  /** An event is not signed with the provider's secret. */
  billing_signature_refused: 'billing_signature_refused',
  /** The billing provider in use sends no events. */
  billing_events_not_expected: null,
  /** Another owner took over the call, or the call has ended. */
  fence_passed: null,
  /** The lease was released: nothing can be charged against it any more. */
  lease_over: null,
  /** The reservation was already settled or released, or expired. */
  reservation_over: null,
  /** Enough credits exist, but in a lease whose gateway does not answer; metadata `retry_after_s`. */
  credits_held: null,
  /** No such watchlist or alert of this tenant. */
  unknown_watchlist: null,
  /** No such saved search of this tenant. */
  unknown_saved_search: null,
  /** No such webhook endpoint of this tenant. */
  unknown_endpoint: null,
  /** No such webhook message of this tenant. */
  unknown_message: null,
  /** No such task of this tenant. */
  unknown_task: null,
  /** The plan allows no more watchlists and alerts; metadata `limit`. */
  too_many_watchlists: 'too_many_watchlists',
  /** The plan allows no more saved searches; metadata `limit`. */
  too_many_saved_searches: 'too_many_saved_searches',
  /** The plan allows no more webhook endpoints; metadata `limit`. */
  too_many_endpoints: 'too_many_endpoints',
  /** The webhook endpoint waits for its first successful test, or is disabled. */
  endpoint_not_live: null,
  /** The webhook endpoint is disabled and must be enabled first; metadata `disabled_reason`. */
  endpoint_disabled: null,
  /** Packets times rules of a rehearsal are over the limit; metadata `steps`, `steps_max`, and the newest span that fits. */
  rehearsal_too_long: null,
  /** No such thing, or it is someone else's. */
  not_found: null,
  /** No valid credential was presented. */
  unauthenticated: 'unauthenticated',
  /** The call does not prove which of our services makes it. Not about a caller's credential. */
  caller_not_proved: 'upstream_unavailable',
  /** Our service that calls may not call this method. */
  caller_not_allowed: 'upstream_unavailable',
  /** The process has not finished rebuilding its state. */
  starting: null,
  /** The process is shutting down. */
  stopping: null,
  /** A service or store needed for the answer cannot be reached. */
  upstream_unavailable: null,
  /** A service needed for the answer did not answer in time. */
  upstream_deadline: null,
  /** The caller's own time was up. */
  deadline_exceeded: null,
  /** The caller gave up. */
  cancelled: null,
  /** More calls in flight than are allowed. */
  overloaded: null,
  /** A message is larger than the limit. */
  message_too_large: 'internal',
  /** Called a method that does not exist. */
  unimplemented: null,
  /** Anything unforeseen. */
  internal: null,
} as const satisfies Readonly<Record<string, ProblemCode | null>>;

export type ErrorReason = keyof typeof ERROR_REASONS;

/** Returns whether a word from the wire is a reason of the catalogue. */
export function isErrorReason(word: string): word is ErrorReason {
  return Object.hasOwn(ERROR_REASONS, word);
}
