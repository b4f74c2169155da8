import {
  LOOK_BACK_WINDOWS,
  readRuleInput,
  rehearse,
  type RehearsedRule,
  type RuleInput,
  type RuleSpec,
  toRuleInput,
  WINDOW_MS,
} from '@market-state/alert-rules';
import type { labeling } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import type { Packet } from '@market-state/labeler';
import type { Pool } from 'pg';
import { insertInputs } from '../store/evaluation';
import type { InputDays } from '../store/input-days';
import { inputsOfSpan, unstoredSpans, type WindowSpan } from '../store/inputs';

/** Packets times rules of one rehearsal. */
const STEPS_MAX = 1_000_000;
const PAGE_SIZE = 500;

export interface RehearsalDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly clock: () => number;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
}

/** Rules to be tried, each on every symbol, on windows that end in [fromMs, toMs). */
export interface RehearsalOrder {
  readonly symbols: readonly string[];
  readonly rules: readonly RuleSpec[];
  readonly fromMs: number;
  readonly toMs: number;
}

export interface RehearsedSymbol {
  readonly symbol: string;
  readonly packets: number;
  /** In the order of the rules. */
  readonly rules: readonly RehearsedRule[];
}

/**
 * Runs rules over stored packets by the code that runs live. What of the span is not stored here is asked of labeling, newest first, and
 * stored: a rehearsal that ran out of time goes on where it stopped when it is asked for again.
 * @throws ServiceError FAILED_PRECONDITION `rehearsal_too_long`, `beyond_retention` where nothing of the span is kept
 */
export async function rehearseRules(deps: RehearsalDeps, order: RehearsalOrder): Promise<RehearsedSymbol[]> {
  refuseLong(order);
  const rehearsed: RehearsedSymbol[] = [];
  for (const symbol of order.symbols) {
    for (const span of await unstoredSpans(deps.pool, symbol, order)) await storeSpan(deps, symbol, span);
    rehearsed.push(await rehearseSymbol(deps, symbol, order));
  }
  if (rehearsed.some(({ packets }) => packets > 0)) return rehearsed;
  throw failedPrecondition('beyond_retention', 'No packet of the span is kept.', { metadata: { oldest_ms: String(order.toMs) } });
}

function refuseLong({ symbols, rules, fromMs, toMs }: RehearsalOrder): void {
  const stepsAWindow = symbols.length * Math.max(1, rules.length);
  const steps = Math.ceil((toMs - fromMs) / WINDOW_MS) * stepsAWindow;
  if (steps <= STEPS_MAX) return;
  const fits = Math.floor(STEPS_MAX / stepsAWindow) * WINDOW_MS;
  const [from, to] = [toMs - fits, toMs];
  const span = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
  throw failedPrecondition(
    'rehearsal_too_long',
    `The span has ${steps} packets times rules, and ${STEPS_MAX} can be looked at: it fits from ${span}.`,
    {
      metadata: { steps: String(steps), steps_max: String(STEPS_MAX), from_ms: String(from), to_ms: String(to) },
    },
  );
}

async function rehearseSymbol(
  { pool, clock }: RehearsalDeps,
  symbol: string,
  { rules, fromMs, toMs }: RehearsalOrder,
): Promise<RehearsedSymbol> {
  const lookBack = { after: fromMs - LOOK_BACK_WINDOWS * WINDOW_MS - 1, toMs: fromMs, limit: LOOK_BACK_WINDOWS };
  const before = await inputsOfSpan(pool, symbol, lookBack);
  const rehearsal = rehearse(rules, before.map(readRuleInput));
  let packets = 0;
  for (let after = fromMs - 1; ; ) {
    const page = await inputsOfSpan(pool, symbol, { after, toMs, limit: PAGE_SIZE });
    for (const stored of page) {
      const input = readRuleInput(stored);
      rehearsal.add(input);
      after = input.window_end_ms;
    }
    packets += page.length;
    if (page.length < PAGE_SIZE) return { symbol, packets, rules: rehearsal.results(Math.min(toMs, clock())) };
  }
}

/** Stores the inputs of a span, newest first. */
async function storeSpan({ pool, inputDays, packets }: RehearsalDeps, symbol: string, { fromMs, toMs }: WindowSpan): Promise<void> {
  let endMs = toMs;
  while (endMs > fromMs) {
    const { packets: records } = await packets.call.listPackets({
      symbol,
      fromWindowEndMs: fromMs,
      toWindowEndMs: endMs,
      pageSize: 100,
      pageToken: '',
      descending: true,
      asOfMs: 0,
    });
    await inputDays.ensure(records.map(({ windowEndMs }) => windowEndMs));
    await insertInputs(pool, records.map(inputOf));
    const oldest = records.at(-1);
    if (oldest === undefined) return;
    endMs = oldest.windowEndMs;
  }
}

function inputOf({ body, sequence }: labeling.PacketRecord): RuleInput {
  return toRuleInput(JSON.parse(body.toString()) as Packet, sequence);
}
