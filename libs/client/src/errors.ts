import type { ProblemCode } from './generated/problem-codes';

export type { ProblemCode } from './generated/problem-codes';

/** Known code, or one of a later release. */
type AnyCode = ProblemCode | (string & {});

export interface Fault {
  /** Starts with query, path, header or body, followed by names and indexes. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface ProblemFacts {
  readonly status: number;
  /**
   * Stable machine code; later releases may add some. Empty if the response is not the service's own, such as a
   * proxy's.
   */
  readonly code: AnyCode;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  /** Path of the documentation page for the code. */
  readonly docs: string;
  /** Wait requested by the service, if any. */
  readonly retryAfterMs: number | null;
  /** Complete body, with members of one code, such as `symbols_served` or `max_credits`. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Times the call was sent. */
  readonly attempts: number;
}

/** Error response of the service. Nothing was charged. */
export class ProblemError extends Error implements ProblemFacts {
  override name = 'ProblemError';
  declare readonly status: number;
  declare readonly code: AnyCode;
  declare readonly title: string;
  declare readonly detail: string;
  declare readonly requestId: string;
  declare readonly docs: string;
  declare readonly retryAfterMs: number | null;
  declare readonly body: Readonly<Record<string, unknown>>;
  declare readonly attempts: number;

  constructor(facts: ProblemFacts) {
    super(`${facts.status}${facts.code === '' ? '' : ` ${facts.code}`}: ${facts.detail}`);
    Object.assign(this, facts);
  }
}

/** 401: missing or invalid credential. */
export class UnauthorizedError extends ProblemError {
  override name = 'UnauthorizedError';
}

/** 402: beyond credits, a spend control or this call's limit. */
export class PaymentRequiredError extends ProblemError {
  override name = 'PaymentRequiredError';
}

/** 403: the key lacks a scope or permission. */
export class ForbiddenError extends ProblemError {
  override name = 'ForbiddenError';
}

/** 404: does not exist, or belongs to another tenant. */
export class NotFoundError extends ProblemError {
  override name = 'NotFoundError';
}

/** 409: conflicts with the current state, or an earlier call with this Idempotency-Key still runs. */
export class ConflictError extends ProblemError {
  override name = 'ConflictError';
}

/** 410: past retention. */
export class GoneError extends ProblemError {
  override name = 'GoneError';

  /** Oldest available instant; null if the service does not report it. */
  get oldestUtc(): string | null {
    const oldest = this.body['oldest_available_utc'];
    return typeof oldest === 'string' ? oldest : null;
  }

  /** Symbols of a stream whose next messages are past retention. */
  get gone(): readonly { readonly symbol: string; readonly oldest_available_utc: string | null }[] {
    return (this.body['gone'] ?? []) as GoneError['gone'];
  }

  /** Id to resume the stream's other symbols from. */
  get resumeId(): string | null {
    return (this.body['resume_id'] ?? null) as string | null;
  }
}

/** 422: invalid parameters or body, with every fault. */
export class InvalidError extends ProblemError {
  override name = 'InvalidError';

  get faults(): readonly Fault[] {
    const { detail } = this.body;
    return Array.isArray(detail) ? (detail as Fault[]) : [];
  }
}

/** 429: too many calls, or too many at the same time. */
export class RateLimitedError extends ProblemError {
  override name = 'RateLimitedError';
}

/** 5xx: the service cannot answer. */
export class ServerError extends ProblemError {
  override name = 'ServerError';
}

/** No complete response arrived. The call may have been executed and charged. */
export class TransportError extends Error {
  override name = 'TransportError';

  /**
   * @param attempts times the call was sent
   * @param cause its reason becomes part of the message
   * @param address method and URL without query; empty for several addresses
   */
  constructor(
    message: string,
    readonly requestId: string,
    readonly attempts: number,
    cause?: unknown,
    readonly address = '',
  ) {
    super(address === '' ? message : `${message} ${[address, reasonOf(cause)].filter(Boolean).join(': ')}`, { cause });
  }
}

/** Reason of the innermost cause, such as `connect ECONNREFUSED 127.0.0.1:80`; a failure of several has only a code. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return reasonOf(error.cause) || error.message || String((error as { readonly code?: unknown }).code ?? '');
}

/** The call was not sent because it could cost more than allowed. */
export class BudgetError extends Error {
  override name = 'BudgetError';

  /**
   * @param needed most credits the call could cost; null if unknown
   * @param allowed credits it may cost
   */
  constructor(
    message: string,
    readonly needed: number | null,
    readonly allowed: number,
  ) {
    super(message);
  }
}

/** A message, packet or file failed verification. `code` names the check. */
export class VerificationError extends Error {
  override name = 'VerificationError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The stream could not be reopened. `resumeFrom: error.resumeId` resumes where it broke. */
export class StreamEnded extends Error {
  override name = 'StreamEnded';

  /** @param code `connection_lost`, or the error code that prevented reopening */
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

export function problemOf(facts: ProblemFacts): ProblemError {
  const { status } = facts;
  return new (BY_STATUS[status] ?? (status >= 500 ? ServerError : ProblemError))(facts);
}
