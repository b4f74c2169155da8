import type { ProblemCode } from './generated/problem-codes';

export type { ProblemCode } from './generated/problem-codes';

/** A known code, or one of a later release. */
type AnyCode = ProblemCode | (string & {});

/** One invalid thing of a request. */
export interface Fault {
  /** Starts with query, path, header or body, then names and indexes. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** What a refusal says of itself. */
export interface ProblemFacts {
  readonly status: number;
  /** Stable machine code; empty if the answer was not the service's own, as from a proxy. Later releases may send further codes. */
  readonly code: AnyCode;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  /** Path of the page about the code. */
  readonly docs: string;
  /** How long the service asks to wait, milliseconds; null where it does not say. */
  readonly retryAfterMs: number | null;
  /** The whole body, for members that one code has: `symbols_served`, `max_credits`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Times that the call was sent. */
  readonly attempts: number;
}

/** The service refused a call. Nothing was charged. */
export class ProblemError extends Error implements ProblemFacts {
  override name = 'ProblemError';
  readonly status: number;
  readonly code: AnyCode;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly docs: string;
  readonly retryAfterMs: number | null;
  readonly body: Readonly<Record<string, unknown>>;
  readonly attempts: number;

  constructor(facts: ProblemFacts) {
    super(`${facts.status}${facts.code === '' ? '' : ` ${facts.code}`}: ${facts.detail}`);
    this.status = facts.status;
    this.code = facts.code;
    this.title = facts.title;
    this.detail = facts.detail;
    this.requestId = facts.requestId;
    this.docs = facts.docs;
    this.retryAfterMs = facts.retryAfterMs;
    this.body = facts.body;
    this.attempts = facts.attempts;
  }
}

/** 401: no credential, or one that does not count. */
export class UnauthorizedError extends ProblemError {
  override name = 'UnauthorizedError';
}

/** 402: credits, a spend control or the bound of this call do not cover it. */
export class PaymentRequiredError extends ProblemError {
  override name = 'PaymentRequiredError';
}

/** 403: the key lacks the scope, or may not do this. */
export class ForbiddenError extends ProblemError {
  override name = 'ForbiddenError';
}

/** 404: no such thing, or not yours. */
export class NotFoundError extends ProblemError {
  override name = 'NotFoundError';
}

/** 409: not in the present state, or the first call with this Idempotency-Key is still running. */
export class ConflictError extends ProblemError {
  override name = 'ConflictError';
}

/** 410: no longer kept. */
export class GoneError extends ProblemError {
  override name = 'GoneError';

  /** The oldest instant that can be asked for; null where the service does not say. */
  get oldestUtc(): string | null {
    const oldest = this.body['oldest_available_utc'];
    return typeof oldest === 'string' ? oldest : null;
  }

  /** Of a stream of several symbols: those whose next messages are no longer kept. */
  get gone(): readonly { readonly symbol: string; readonly oldest_available_utc: string | null }[] {
    return (this.body['gone'] ?? []) as GoneError['gone'];
  }

  /** Of a stream of several symbols: goes on with those that are not gone. */
  get resumeId(): string | null {
    return (this.body['resume_id'] ?? null) as string | null;
  }
}

/** 422: invalid parameters or body, every fault of them. */
export class InvalidError extends ProblemError {
  override name = 'InvalidError';

  get faults(): readonly Fault[] {
    const { detail } = this.body;
    return Array.isArray(detail) ? (detail as Fault[]) : [];
  }
}

/** 429: too many calls, or too many at once. */
export class RateLimitedError extends ProblemError {
  override name = 'RateLimitedError';
}

/** 5xx: the service cannot answer. */
export class ServerError extends ProblemError {
  override name = 'ServerError';
}

/** No whole answer came: the connection failed, broke or took too long. What was sent may have been done, and charged. */
export class TransportError extends Error {
  override name = 'TransportError';

  /** @param attempts times that the call was sent */
  constructor(
    message: string,
    readonly requestId: string,
    readonly attempts: number,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** A call that could cost more than is allowed was not sent. */
export class BudgetError extends Error {
  override name = 'BudgetError';

  /**
   * @param needed most credits that the call could cost; null where that is not known beforehand
   * @param allowed credits that it may cost
   */
  constructor(
    message: string,
    readonly needed: number | null,
    readonly allowed: number,
  ) {
    super(message);
  }
}

/** A message, packet or file is not what it says it is. `code` names which check failed. */
export class VerificationError extends Error {
  override name = 'VerificationError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A stream that cannot go on: `resumeFrom: error.resumeId` goes on where it broke. */
export class StreamEnded extends Error {
  override name = 'StreamEnded';

  /** @param code `connection_lost`, or the code of the refusal that kept the stream from being opened again */
  constructor(
    readonly code: string,
    readonly resumeId: string | null,
    cause: unknown,
  ) {
    super(`The stream ended: ${code}.${cause instanceof Error ? ` ${cause.message}` : ''}`, { cause });
  }
}

const BY_STATUS: Readonly<Record<number, new (facts: ProblemFacts) => ProblemError>> = {
  401: UnauthorizedError,
  402: PaymentRequiredError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: InvalidError,
  429: RateLimitedError,
};

/** The error of a refusal, of the class of its status. */
export function problemOf(facts: ProblemFacts): ProblemError {
  const { status } = facts;
  return new (BY_STATUS[status] ?? (status >= 500 ? ServerError : ProblemError))(facts);
}
