/** Stable machine codes of error answers, each with its status and title. A code never changes its meaning. */
export const PROBLEMS = {
  malformed_address: { status: 400, title: 'Malformed path' },
  malformed_json: { status: 400, title: 'Body is not valid JSON' },
  malformed_request: { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Missing or invalid credential' },
  claim_refused: { status: 401, title: 'Claim refused' },
  login_refused: { status: 401, title: 'Login refused' },
  reset_refused: { status: 401, title: 'Password reset refused' },
  billing_signature_refused: { status: 401, title: 'Invalid signature' },
  insufficient_credits: { status: 402, title: 'Not enough credits' },
  monthly_credit_cap: { status: 402, title: 'Monthly credit cap reached' },
  daily_credit_cap: { status: 402, title: 'Daily credit cap reached' },
  per_call_credit_ceiling: { status: 402, title: 'Per-call credit ceiling exceeded' },
  credit_ceiling: { status: 402, title: 'Credit ceiling of the key reached' },
  export_credit_cap: { status: 402, title: 'Export credit cap reached' },
  quote_exceeded: { status: 402, title: 'Quote exceeded' },
  quote_mismatch: { status: 402, title: 'Quote does not match this call' },
  insufficient_scope: { status: 403, title: 'Insufficient scope' },
  csrf_refused: { status: 403, title: 'Cross-site request refused' },
  link_expired: { status: 403, title: 'Download route expired' },
  sandbox_refused: { status: 403, title: 'Not available to sandbox keys' },
  live_sharing_off: { status: 403, title: 'Packets of live venues are not shared' },
  not_found: { status: 404, title: 'Not found' },
  unknown_symbol: { status: 404, title: 'Symbol not served' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  beyond_retention: { status: 410, title: 'Beyond retention' },
  job_expired: { status: 410, title: 'Files deleted' },
  conflict: { status: 409, title: 'Conflict with the current state' },
  idempotency_in_flight: { status: 409, title: 'First call still running' },
  job_not_ready: { status: 409, title: 'Job not ready' },
  job_failed: { status: 409, title: 'Job failed' },
  job_cancelled: { status: 409, title: 'Job cancelled' },
  endpoint_not_live: { status: 409, title: 'Endpoint not live' },
  test_required: { status: 409, title: 'Test required' },
  too_many_watchlists: { status: 409, title: 'Too many watchlists' },
  too_many_saved_searches: { status: 409, title: 'Too many saved searches' },
  packet_too_young: { status: 409, title: 'Packet too young to share' },
  too_many_shares: { status: 409, title: 'Too many shares' },
  too_many_endpoints: { status: 409, title: 'Too many webhook endpoints' },
  nothing_recorded: { status: 409, title: 'Nothing recorded yet' },
  payload_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  misdirected_request: { status: 421, title: 'Misdirected request' },
  rate_limited: { status: 429, title: 'Too many calls' },
  limit_reached: { status: 429, title: 'Limit reached' },
  too_many_calls_at_once: { status: 429, title: 'Too many calls at once' },
  too_many_attempts: { status: 429, title: 'Too many attempts' },
  too_many_jobs: { status: 429, title: 'Too many jobs queued' },
  too_many_downloads: { status: 429, title: 'Too many downloads' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal: { status: 500, title: 'Internal error' },
  no_packet_yet: { status: 503, title: 'No packet yet' },
  metering_unavailable: { status: 503, title: 'Metering unavailable' },
  overloaded: { status: 503, title: 'Service overloaded' },
  upstream_unavailable: { status: 503, title: 'Upstream service unavailable' },
  billing_provider_unavailable: { status: 503, title: 'Billing provider unavailable' },
  upstream_deadline: { status: 504, title: 'Upstream timeout' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemExtras {
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the error object. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An answer that is not a success, phrased for the caller: `message` is the one sentence that is shown. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, sentence: string, extras: ProblemExtras = {}) {
    super(sentence, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.code = code;
    this.headers = extras.headers ?? {};
    this.members = extras.members ?? {};
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The error object of RFC 9457 as text. */
export function problemBody(problem: Problem, requestId: string): string {
  const { status, title } = PROBLEMS[problem.code];
  return JSON.stringify({
    type: `urn:market-state:problem:${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    docs: `/docs/errors/${problem.code}`,
    ...problem.members,
  });
}

const UNAUTHENTICATED =
  'This route needs a valid credential: send your key in the header x-market-state-api-key. ' +
  'POST /api/public/market-state/account/sandbox-keys gives a sandbox key without sign-up.';

/** 401, the same for every cause. */
export function unauthenticated(): Problem {
  return new Problem('unauthenticated', UNAUTHENTICATED, {
    headers: { 'WWW-Authenticate': 'MarketStateApiKey realm="market-state", header="x-market-state-api-key"' },
  });
}
