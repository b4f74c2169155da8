import type { Schemas } from '@market-state/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ANSWER_BYTES_MAX } from '../answers/bounds';
import { failureOf } from '../answers/failure';
import { answerOf } from '../answers/findings';
import { fit } from '../answers/fit';
import { type Run, startRun } from '../session/run';
import type { Session } from '../session/session';
import { readArguments } from '../tools/read-arguments';
import { creditsAtMost, type Tool } from '../tools/tool';

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
