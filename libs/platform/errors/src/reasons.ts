/**
 * Every reason that an error of this product can carry: a stable word, finer than the code. A reason never changes its meaning; a new
 * case gets a new one.
 */
export const ERROR_REASONS = [
  /** One or more request fields are malformed or out of range; `faults` names each. */
  'invalid_argument',
  /** The symbol is well formed but not served; metadata `symbols` lists those that are, comma separated. */
  'unknown_symbol',
  /** No book of that symbol was ever seen. */
  'book_not_available',
  /** The symbol has no packet yet. */
  'no_packet_yet',
  /** Another process labels the symbol, and streams its packets. */
  'other_shard',
  /** No such packet. */
  'unknown_packet',
  /** The packet has not been known for as long as a share asks for; metadata `shareable_ms` is the instant from which it can be shared. */
  'packet_too_young',
  /** This installation does not share packets of live venues. */
  'live_sharing_off',
  /** The tenant has as many active shares as its plan allows; metadata `limit`. */
  'too_many_shares',
  /** No such share, or it is someone else's. */
  'unknown_share',
  /** The symbol has no checkpoint at that window. */
  'checkpoint_not_found',
  /** Entries of the log that were asked for are no longer kept; metadata `first_ordinal` is the oldest kept after them, if any. */
  'log_not_retained',
  /** Entries are missing in the middle of the stored log; metadata `after_ordinal` and `next_ordinal` name those around them. */
  'log_incomplete',
  /** What was asked for is older than what is kept; metadata `oldest_ms` is the oldest time available. */
  'beyond_retention',
  /** A file of the archive is not what was written; metadata `symbol`, `channel` and `hour_ms` name it. */
  'archive_corrupt',
  /** No such export job, or it is someone else's. */
  'unknown_job',
  /** The export job has no such file. */
  'unknown_file',
  /** The export job has not finished. */
  'job_not_ready',
  /** The export job failed: it has no files. */
  'job_failed',
  /** The export job was cancelled: it has no files. */
  'job_cancelled',
  /** The files of the export job were deleted. */
  'job_expired',
  /** Nothing is recorded yet of the symbols of the export. */
  'nothing_recorded',
  /** The files of an export would be larger than the plan allows; metadata `bytes` and `bytes_max`. */
  'result_too_large',
  /** Too many calls of the tenant wait for a service already. */
  'too_many_calls_at_once',
  /** The tenant has as many export jobs queued as allowed; metadata `retry_after_s`. */
  'too_many_jobs',
  /** As many downloads of the tenant are running as allowed. */
  'too_many_downloads',
  /** No byte of the file is in the range. */
  'range_not_satisfiable',
  /** No such key. */
  'unknown_key',
  /** The tenant has as many active keys as allowed. */
  'too_many_keys',
  /** The key has expired or was revoked: it can be neither changed nor rotated. */
  'key_ended',
  /** The call made its key before, and the key is in use: its secret cannot be shown again. */
  'key_in_use',
  /** The address has used up its sandbox keys; metadata `retry_after_s`. */
  'too_many_sandbox_keys',
  /** As many trials were opened as allowed, from the address or in all; metadata `retry_after_s`. */
  'too_many_trials',
  /** A claim's key or token is not valid, or the email has an account. */
  'claim_refused',
  /** Neither key nor token, and this installation opens no trials. */
  'trial_not_offered',
  /** Wrong email or password. */
  'login_refused',
  /** A reset token that is unknown, used, replaced or too old. */
  'reset_refused',
  /** Attempts must wait; metadata `retry_after_s`. */
  'too_many_attempts',
  /** As many passwords as allowed are being hashed or waiting; metadata `retry_after_s`. */
  'password_work_full',
  /** No such tenant. */
  'unknown_tenant',
  /** No such order, or not one of this provider. */
  'unknown_order',
  /** The order was cancelled or has expired. */
  'order_not_open',
  /** The tenant pays for its plan by a running subscription. */
  'subscription_running',
  /** The billing provider cannot be reached, or refuses. */
  'billing_provider_unavailable',
  /** An event is not signed with the provider's secret. */
  'billing_signature_refused',
  /** The billing provider in use sends no events. */
  'billing_events_not_expected',
  /** Another owner took over the call, or the call has ended. */
  'fence_passed',
  /** The lease was released: nothing can be charged against it any more. */
  'lease_over',
  /** The reservation was already settled or released, or expired. */
  'reservation_over',
  /** Enough credits exist, but in a lease whose gateway does not answer; metadata `retry_after_s`. */
  'credits_held',
  /** No such export job of this tenant. */
  'unknown_job',
  /** The job has no such file. */
  'unknown_file',
  /** Nothing is recorded yet of the symbols of the export. */
  'nothing_recorded',
  /** The files would be larger than the plan allows; metadata `bytes` and `bytes_max`. */
  'result_too_large',
  /** As many export jobs of the tenant are queued as may be; metadata `retry_after_s`. */
  'too_many_jobs',
  /** As many downloads of the tenant run as may; metadata `retry_after_s`. */
  'too_many_downloads',
  /** The job is not ready yet. */
  'job_not_ready',
  /** The job failed: it has no files; metadata `error_reason`. */
  'job_failed',
  /** The job was cancelled: it has no files. */
  'job_cancelled',
  /** The files of the job were deleted; metadata `expired_ms`. */
  'job_expired',
  /** No such watchlist or alert of this tenant. */
  'unknown_watchlist',
  /** No such saved search of this tenant. */
  'unknown_saved_search',
  /** No such webhook endpoint of this tenant. */
  'unknown_endpoint',
  /** No such webhook message of this tenant. */
  'unknown_message',
  /** No such task of this tenant. */
  'unknown_task',
  /** The plan allows no more watchlists and alerts; metadata `limit`. */
  'too_many_watchlists',
  /** The plan allows no more saved searches; metadata `limit`. */
  'too_many_saved_searches',
  /** The plan allows no more webhook endpoints; metadata `limit`. */
  'too_many_endpoints',
  /** The webhook endpoint waits for its first successful test, or is disabled. */
  'endpoint_not_live',
  /** The webhook endpoint is disabled and must be enabled first; metadata `disabled_reason`. */
  'endpoint_disabled',
  /** Packets times rules of a rehearsal are over the limit; metadata `steps`, `steps_max`, and the newest span that fits. */
  'rehearsal_too_long',
  /** The range of bytes lies outside the file; metadata `bytes`. */
  'range_not_satisfiable',
  /** No such thing, or it is someone else's. */
  'not_found',
  /** No valid credential was presented. */
  'unauthenticated',
  /** The call does not prove which of our services makes it. Not about a caller's credential. */
  'caller_not_proved',
  /** Our service that calls may not call this method. */
  'caller_not_allowed',
  /** The process has not finished rebuilding its state. */
  'starting',
  /** The process is shutting down. */
  'stopping',
  /** A service or store needed for the answer cannot be reached. */
  'upstream_unavailable',
  /** A service needed for the answer did not answer in time. */
  'upstream_deadline',
  /** The caller's own time was up. */
  'deadline_exceeded',
  /** The caller gave up. */
  'cancelled',
  /** More calls in flight than are allowed. */
  'overloaded',
  /** A message is larger than the limit. */
  'message_too_large',
  /** Called a method that does not exist. */
  'unimplemented',
  /** Anything unforeseen. */
  'internal',
] as const;

export type ErrorReason = (typeof ERROR_REASONS)[number];

const KNOWN: ReadonlySet<string> = new Set(ERROR_REASONS);

/** Whether a word from the wire is a reason of the catalogue. */
export function isErrorReason(word: string): word is ErrorReason {
  return KNOWN.has(word);
}
