/** Stable machine codes of error answers, each with its status and title. A code never changes its meaning. */
export const PROBLEMS = {
  malformed_address: { status: 400, title: 'The address cannot be decoded' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  malformed_request: { status: 400, title: 'The request cannot be read' },
  unauthenticated: { status: 401, title: 'No valid credential' },
  claim_refused: { status: 401, title: 'The account cannot be claimed so' },
  login_refused: { status: 401, title: 'No login' },
  reset_refused: { status: 401, title: 'The password cannot be set so' },
  billing_signature_refused: { status: 401, title: 'The signature does not fit' },
  insufficient_credits: { status: 402, title: 'The credits are used up' },
  spend_control_reached: { status: 402, title: 'A spend control is reached' },
  per_call_ceiling: { status: 402, title: 'The call costs more than one call may' },
  quote_exceeded: { status: 402, title: 'The call costs more than was quoted' },
  quote_mismatch: { status: 402, title: 'The quote is for another call' },
  insufficient_scope: { status: 403, title: 'The credential does not allow this' },
  csrf_refused: { status: 403, title: 'The call may come from another site' },
  sandbox_refused: { status: 403, title: 'Not open to sandbox keys' },
  not_found: { status: 404, title: 'Nothing here' },
  unknown_symbol: { status: 404, title: 'Symbol not served' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'The request took too long' },
  beyond_retention: { status: 410, title: 'Older than what is kept' },
  conflict: { status: 409, title: 'The state does not allow this now' },
  idempotency_in_flight: { status: 409, title: 'The first call is still running' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is not plain application/json' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  misdirected_request: { status: 421, title: 'Another service was meant' },
  rate_limited: { status: 429, title: 'Too many calls' },
  limit_reached: { status: 429, title: 'A limit is used up' },
  too_many_calls_at_once: { status: 429, title: 'Too many calls at once' },
  too_many_attempts: { status: 429, title: 'Too many attempts' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong' },
  not_available_yet: { status: 501, title: 'Not available yet' },
  no_packet_yet: { status: 503, title: 'No packet yet' },
  metering_unavailable: { status: 503, title: 'Credits cannot be counted' },
  overloaded: { status: 503, title: 'Too much to do at once' },
  upstream_unavailable: { status: 503, title: 'A service is down' },
  billing_provider_unavailable: { status: 503, title: 'The billing provider cannot be reached' },
  upstream_deadline: { status: 504, title: 'A service did not answer in time' },
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
    docs: '/openapi.json',
    ...problem.members,
  });
}

/** 401, the same for every cause. */
export function unauthenticated(): Problem {
  return new Problem('unauthenticated', 'This route needs a valid credential.', {
    headers: { 'WWW-Authenticate': 'MarketStateApiKey realm="market-state", header="x-market-state-api-key"' },
  });
}

/** 501: described in the document, not served yet. */
export function notAvailableYet(sentence: string): Problem {
  return new Problem('not_available_yet', sentence);
}
