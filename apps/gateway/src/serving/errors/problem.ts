import { type ProblemCode, PROBLEMS } from '@market-state/errors';

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
