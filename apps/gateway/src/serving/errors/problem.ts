import { type ProblemCode, PROBLEMS } from '@market-state/errors';
import { answerText } from '../meta/meta';

interface ProblemExtras {
  readonly headers?: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** `message` is the one sentence shown to the caller. */
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

export function problemBody(problem: Problem, requestId: string): string {
  const { status, title } = PROBLEMS[problem.code];
  return answerText({
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
  'POST /api/public/market-state/account/sandbox-keys creates a sandbox key without sign-up.';

/** 401, identical for every cause. */
export function unauthenticated(): Problem {
  return new Problem('unauthenticated', UNAUTHENTICATED, {
    headers: { 'WWW-Authenticate': 'MarketStateApiKey realm="market-state", header="x-market-state-api-key"' },
  });
}

/** 403 that names the role needed. */
export function insufficientRole(needed: string): Problem {
  return new Problem('insufficient_role', `This needs the role ${needed}. Ask an owner of your team.`, { members: { role: needed } });
}

export interface FaultItem {
  /** Starts with query, path, header or body, then names and indexes. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Only the number of further errors is reported. */
export const FAULTS_MAX = 50;

export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';

  readonly faults: readonly FaultItem[];
  readonly faultTotal: number;

  /** @param further errors counted but not listed */
  constructor(faults: readonly FaultItem[], further = 0) {
    super('The request is not valid.');
    this.faults = faults.slice(0, FAULTS_MAX).map(withShortNames);
    this.faultTotal = faults.length + further;
  }
}

/** Unknown names are the caller's own text, so they are cut. */
const NAME_LENGTH_MAX = 64;

function withShortNames(fault: FaultItem): FaultItem {
  return { ...fault, loc: fault.loc.map((name) => (typeof name === 'string' ? shortName(name) : name)) };
}

function shortName(name: string): string {
  const characters = [...name];
  return characters.length <= NAME_LENGTH_MAX ? name : `${characters.slice(0, NAME_LENGTH_MAX).join('')}…`;
}
