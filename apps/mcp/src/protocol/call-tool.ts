import { type Schemas, BudgetError, InvalidError, PaymentRequiredError, ProblemError, TransportError } from '@market-state/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ANSWER_BYTES_MAX, fit, type NextCall } from '../answers/fit';
import { answerOf } from '../answers/findings';
import { type Run, startRun, type Session } from '../session';
import { readArguments, BadArguments, creditsAtMost, type Tool } from '../tools/tool';

/** Why a tool did not answer. */
interface Failure {
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
function failureOf(error: unknown, run: Run, cheaper: NextCall | null, onUnknown: (error: unknown) => void): Failure {
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

const CLAIM_BOUNDARY: Schemas['Meta']['claim_boundary'] = 'not_signal_not_advice_not_execution_not_performance';

/** Calls a tool: its answer, or why there is none. @throws the signal's reason when the caller gave up */
export async function callTool(
  session: Session,
  tool: Tool,
  given: unknown,
  signal: AbortSignal,
  onUnknown: (error: unknown) => void,
): Promise<CallToolResult> {
  const run = startRun(session, signal);
  let cheaper: ReturnType<NonNullable<Tool['cheaper']>> = null;
  try {
    const args = readArguments(tool, given);
    cheaper = tool.cheaper?.(args) ?? null;
    const isDry = args['dry_run'] === true;
    return resultOf(isDry ? await dryAnswer(run, tool, args) : answerOf(run, await tool.run(run, args), detailOf(args)));
  } catch (error) {
    signal.throwIfAborted();
    const told = { error: failureOf(error, run, cheaper, onUnknown), cost: run.cost() };
    return { content: [{ type: 'text', text: JSON.stringify(told) }], isError: true };
  }
}

/** The same as text, for clients that read nothing else. */
function resultOf(answer: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

function detailOf(args: Readonly<Record<string, unknown>>): 'concise' | 'full' {
  return args['detail'] === 'full' ? 'full' : 'concise';
}

/** What the tool would cost. Nothing was read, so there is nothing to rely on. */
async function dryAnswer(run: Run, tool: Tool, args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  const calls = tool.calls?.(args) ?? [];
  const credits = await Promise.all(calls.map((call) => creditsAtMost(run.session.orders, call)));
  const fields = {
    as_of_utc: new Date().toISOString(),
    response_state: 'dry_run',
    fail_closed: true,
    gap_flags: [],
    claim_boundary: CLAIM_BOUNDARY,
    cost: run.cost(),
    request_id: run.requestId(),
    credits_at_most: credits.reduce((sum, each) => sum + each, 0),
    calls: calls.map(({ id, params }, at) => ({ operation: id, params, credits_at_most: credits[at] })),
  };
  return fit({ fields, lists: ['calls'] }, ANSWER_BYTES_MAX.concise);
}
