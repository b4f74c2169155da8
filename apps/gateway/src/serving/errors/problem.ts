import { type ProblemCode, PROBLEMS } from '@market-state/errors';

interface ProblemExtras {
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

/** One invalid thing of a request, as the 422 body lists it. */
export interface FaultItem {
  /** Starts with query, path, header or body, then names and indexes. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Stable word for the kind of fault. */
  readonly type: string;
}

/** Faults that are listed; of further ones only the number is. */
export const FAULTS_MAX = 50;

/** A request with invalid parameters or body. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';

  /** The first 50. */
  readonly faults: readonly FaultItem[];
  /** Of all. */
  readonly faultTotal: number;

  /** @param further faults that were counted, and not made */
  constructor(faults: readonly FaultItem[], further = 0) {
    super('The request is not valid.');
    this.faults = faults.slice(0, FAULTS_MAX).map(withShortNames);
    this.faultTotal = faults.length + further;
  }
}

/** Longest name told, characters: names that nobody knows are the caller's own text. */
const NAME_LENGTH_MAX = 64;

function withShortNames(fault: FaultItem): FaultItem {
  return { ...fault, loc: fault.loc.map((name) => (typeof name === 'string' ? shortName(name) : name)) };
}

function shortName(name: string): string {
  const characters = [...name];
  return characters.length <= NAME_LENGTH_MAX ? name : `${characters.slice(0, NAME_LENGTH_MAX).join('')}…`;
}
