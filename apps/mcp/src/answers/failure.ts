import { BudgetError, InvalidError, PaymentRequiredError, ProblemError, TransportError } from '@market-state/client';
import type { Run } from '../session/run';
import { BadArguments } from '../tools/read-arguments';
import type { NextCall } from './fit';

/** Why a tool did not answer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
  /** Whole seconds after which the same call may succeed. */
  readonly retry_after_s?: number;
  readonly faults?: readonly unknown[];
  readonly fault_total?: number;
  /** A call that costs less, or nothing. */
  readonly cheaper?: NextCall;
}

const FAULTS_MAX = 10;
const MESSAGE_CHARACTERS_MAX = 600;

/** What costs nothing and says what is left. */
const USAGE: NextCall = { tool: 'usage', arguments: {} };

/**
 * Why the tool did not answer, in the words of the service where it refused.
 * @param cheaper what a refusal for its cost recommends; null: what is left
 * @param onUnknown told of what is our fault, of which the caller is told no more than that
 */
export function failureOf(error: unknown, run: Run, cheaper: NextCall | null, onUnknown: (error: unknown) => void): Failure {
  const own = run.requestId();
  if (error instanceof BadArguments) {
    const { faults, faultTotal } = error;
    return { code: 'invalid_arguments', message: 'The arguments are not valid.', request_id: own, faults, fault_total: faultTotal };
  }
  if (error instanceof BudgetError) {
    const message = `${error.message} Nothing was charged for it.`;
    return { code: 'budget_exceeded', message, request_id: own, cheaper: cheaper ?? USAGE };
  }
  if (error instanceof ProblemError) return problemFailure(error, cheaper);
  if (error instanceof TransportError) {
    const message = `${error.message} What was sent may have been charged: look for its receipt by the request id.`;
    return { code: 'no_answer', message, request_id: error.requestId };
  }
  if (error instanceof RangeError) return { code: 'not_available', message: `${error.message}.`, request_id: own };
  onUnknown(error);
  return { code: 'internal', message: 'The MCP server failed.', request_id: own };
}

function problemFailure(error: ProblemError, cheaper: NextCall | null): Failure {
  const faults = error instanceof InvalidError ? error.faults : [];
  return {
    code: error.code === '' ? `http_${error.status}` : error.code,
    message: error.detail.slice(0, MESSAGE_CHARACTERS_MAX),
    request_id: error.requestId,
    ...(error.retryAfterMs === null ? {} : { retry_after_s: Math.ceil(error.retryAfterMs / 1_000) }),
    ...(faults.length === 0 ? {} : { faults: faults.slice(0, FAULTS_MAX), fault_total: faults.length }),
    ...(error instanceof PaymentRequiredError ? { cheaper: cheaper ?? USAGE } : {}),
  };
}
