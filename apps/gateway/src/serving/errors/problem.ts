import { type ProblemCode, PROBLEMS, ERROR_REASONS, isServiceError, type ServiceError, type Fault } from '@market-state/errors';
import { answerText, toUtc } from '../meta/meta';

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

/** Upstream fields whose public name differs. */
const PUBLIC_NAMES: ReadonlyMap<string, string> = new Map([
  ['from_ms', 'from'],
  ['to_ms', 'to'],
  ['from_ts_ms', 'from'],
  ['to_ts_ms', 'to'],
  ['from_window_end_ms', 'from'],
  ['to_window_end_ms', 'to'],
  ['start_ms', 'start'],
  ['end_ms', 'end'],
  ['as_of_ms', 'as_of'],
  ['page_size', 'limit'],
  ['page_token', 'cursor'],
  ['interval_ms', 'tf'],
]);

/** Replacements for upstream messages. */
const PUBLIC_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['page_token', 'must be a next_cursor from an earlier response for the same symbol'],
]);

export function fromUpstreamFault({ field, message, type }: Fault): FaultItem {
  return {
    loc: ['query', PUBLIC_NAMES.get(field) ?? field],
    msg: PUBLIC_MESSAGES.get(field) ?? message.replace(/\w+/g, (word) => PUBLIC_NAMES.get(word) ?? word),
    type,
  };
}

const GIB = 1_073_741_824;

function sizeOf(text: string | undefined): string {
  const bytes = Number(text ?? 0);
  return `${(bytes / GIB).toFixed(1)} GiB (${bytes.toLocaleString('en-US')} bytes)`;
}

export function tooLarge({ metadata }: ServiceError, loc: FaultItem['loc']): FaultItem {
  const { bytes, bytes_max: most } = metadata;
  const msg =
    `asks for about ${sizeOf(bytes)}, but the plan allows ${sizeOf(most)} per export: choose fewer symbols, a shorter span or fewer ` +
    `columns`;
  return { loc, msg, type: 'result_too_large' };
}

/** For reasons missing from the catalogue. */
const BY_GRPC_CODE: Readonly<Partial<Record<ServiceError['code'], ProblemCode>>> = {
  NOT_FOUND: 'not_found',
  FAILED_PRECONDITION: 'conflict',
  RESOURCE_EXHAUSTED: 'limit_reached',
  UNAVAILABLE: 'upstream_unavailable',
  CANCELLED: 'upstream_unavailable',
  DEADLINE_EXCEEDED: 'upstream_deadline',
};

/** So that every cause reads the same. */
const SENTENCES: Readonly<Partial<Record<ProblemCode, string>>> = {
  internal: 'An internal error occurred.',
  claim_refused:
    'The key, claim token or email cannot be used to claim an account. If you already have an account, log in or reset your password.',
  login_refused: 'Wrong email, password or authentication code.',
  reset_refused: 'The reset token cannot be used.',
  invitation_refused:
    'The invitation cannot be used: it was used, withdrawn or replaced by a newer one, has expired, or its email has an account.',
  billing_signature_refused: 'The event signature is not valid.',
};

/** Default `Retry-After` in seconds. */
const RETRY_AFTER_S: Readonly<Partial<Record<ProblemCode, number>>> = {
  no_packet_yet: 5,
  overloaded: 2,
  upstream_unavailable: 1,
  upstream_deadline: 1,
  billing_provider_unavailable: 1,
  login_provider_unavailable: 1,
  limit_reached: 1,
  too_many_calls_at_once: 1,
  too_many_attempts: 60,
  too_many_jobs: 60,
  too_many_downloads: 5,
};

/** A first order book takes longer than a service restart; in seconds. */
const BOOK_AFTER_S = 5;

/** Our own misconfiguration, not the caller's fault: not disclosed. */
const NOT_OURS: ReadonlySet<string> = new Set(['caller_not_proved', 'caller_not_allowed']);

function headersOf(code: ProblemCode, { reason, metadata, code: grpcCode }: ServiceError): Readonly<Record<string, string>> {
  if (grpcCode === 'UNAUTHENTICATED' && code !== 'internal' && !NOT_OURS.has(reason))
    return { 'WWW-Authenticate': 'MarketStateAccountSession realm="market-state"' };
  const usualS = reason === 'book_not_available' ? BOOK_AFTER_S : RETRY_AFTER_S[code];
  if (usualS === undefined) return {};
  const seconds = Math.ceil(Number(metadata['retry_after_s'] ?? usualS));
  return { 'Retry-After': String(Number.isFinite(seconds) ? Math.max(1, seconds) : usualS) };
}

function membersOf(code: ProblemCode, { metadata }: ServiceError): Readonly<Record<string, unknown>> {
  switch (code) {
    case 'unknown_symbol':
      return { symbols_served: (metadata['symbols'] ?? '').split(',').filter(Boolean) };
    case 'beyond_retention': {
      const oldestMs = Number(metadata['oldest_ms'] ?? 0);
      return oldestMs > 0 ? { oldest_available_utc: toUtc(oldestMs) } : {};
    }
    case 'insufficient_role':
      return { role: metadata['role'] };
    case 'packet_too_young':
      return { shareable_from_utc: toUtc(Number(metadata['shareable_ms'])) };
    case 'too_many_watchlists':
    case 'too_many_saved_searches':
    case 'too_many_shares':
    case 'too_many_endpoints':
      return { limit: Number(metadata['limit']) };
    default:
      return {};
  }
}

function sentenceOf(code: ProblemCode, { reason, message }: ServiceError): string {
  if (NOT_OURS.has(reason)) return 'A service needed for this answer is unreachable.';
  return SENTENCES[code] ?? message;
}

function fromServiceError(error: ServiceError): Problem | InvalidRequest {
  if (error.reason === 'unauthenticated') return unauthenticated();
  if (error.reason === 'result_too_large') return new InvalidRequest([tooLarge(error, ['body'])]);
  if (error.code === 'INVALID_ARGUMENT' && error.faults.length > 0) return new InvalidRequest(error.faults.map(fromUpstreamFault));
  const code = ERROR_REASONS[error.reason] ?? BY_GRPC_CODE[error.code] ?? 'internal';
  return new Problem(code, sentenceOf(code, error), { headers: headersOf(code, error), members: membersOf(code, error), cause: error });
}

/** Unknown errors become a generic 500. */
export function toProblem(thrown: unknown): Problem | InvalidRequest {
  if (thrown instanceof Problem || thrown instanceof InvalidRequest) return thrown;
  if (isServiceError(thrown)) return fromServiceError(thrown);
  if (thrown instanceof URIError) return new Problem('malformed_address', 'The path has an invalid percent encoding.', { cause: thrown });
  return new Problem('internal', 'An internal error occurred.', { cause: thrown });
}
