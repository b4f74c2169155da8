import {
  LOOK_BACK_WINDOWS,
  readRuleInput,
  rehearse as startRehearsal,
  type RehearsedRule,
  type RuleSpec,
  WINDOW_MS,
} from '@market-state/alert-rules';
import type { labeling, webhook } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { idFaults, optionalSpanFaults, refuseFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import { type InputDays, inputOf, inputsOfSpan, insertInputs, unstoredSpans, type WindowSpan } from '../store/inputs';
import { findWatchlist } from '../store/watchlists';
import { requireWatchlist } from '../watchlists/change-watchlist';
import { readRules, refuseUnserved, watchedFaults, type WatchlistDeps } from '../watchlists/watchlist';
import { futureFaults } from './request-faults';
import { ALERT_STATES } from './watchlists';

const DAY_MS = 86_400_000;
const SPAN_MAX_MS = 7 * DAY_MS;
const CREDITS_A_DELIVERY = 1;
/** Maximum product of packets and rules in one rehearsal. */
const STEPS_MAX = 1_000_000;
const PAGE_SIZE = 500;

interface RehearsalDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly clock: () => number;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
}

interface RehearsalOrder {
  readonly symbols: readonly string[];
  readonly rules: readonly RuleSpec[];
  readonly fromMs: number;
  readonly toMs: number;
}

interface RehearsedSymbol {
  readonly symbol: string;
  readonly packets: number;
  readonly rules: readonly RehearsedRule[];
}

export async function rehearse(deps: WatchlistDeps, request: webhook.RehearseRequest): Promise<webhook.RehearseResponse> {
  const { tenantId, watchlistId } = request;
  const toMs = request.toMs === 0 ? deps.clock() : request.toMs;
  const fromMs = request.fromMs === 0 ? toMs - DAY_MS : request.fromMs;
  refuseFaults(
    idFaults('tenant_id', tenantId),
    optionalSpanFaults(['from_ms', request.fromMs], ['to_ms', request.toMs]),
    spanFaults(fromMs, toMs),
  );
  const order = watchlistId === '' ? readRequested(request) : await readSaved(deps, tenantId, watchlistId);
  await refuseUnserved(deps, order.symbols);
  const rehearsed = await rehearseRules(deps, { ...order, fromMs, toMs });
  const rules = rehearsed.flatMap((symbol) => showSymbol(symbol, order.ruleIds));
  const deliveries = rules.reduce((total, { triggered, recovered }) => total + triggered + recovered, 0);
  const packets = rehearsed.reduce((total, symbol) => total + symbol.packets, 0);
  const steps = packets * order.rules.length;
  return { fromMs, toMs, packets, steps, rules, deliveries, marketStateCredits: deliveries * CREDITS_A_DELIVERY };
}

function spanFaults(fromMs: number, toMs: number) {
  return toMs - fromMs <= SPAN_MAX_MS ? [] : [{ field: 'from_ms', message: 'must be at most 7 days before the end', type: 'out_of_range' }];
}

function readRequested({ symbols, rules: drafts }: webhook.RehearseRequest) {
  const { rules, faults } = readRules(drafts, 'watchlist');
  const none = drafts.length === 0 ? [{ field: 'rules', message: 'must contain at least 1 rule', type: 'too_short' }] : [];
  refuseFaults(watchedFaults(symbols, 'watchlist'), faults, none);
  return { symbols, rules, ruleIds: [] as string[] };
}

async function readSaved({ pool }: WatchlistDeps, tenantId: string, watchlistId: string) {
  const alert = await findWatchlist(pool, { tenantId, watchlistId, kind: 'alert' });
  const { symbols, rules } = alert ?? (await requireWatchlist(pool, { tenantId, watchlistId, kind: 'watchlist' }));
  return { symbols, rules: rules.map(({ spec }) => spec), ruleIds: rules.map(({ ruleId }) => ruleId) };
}

function showSymbol({ symbol, rules }: RehearsedSymbol, ruleIds: readonly string[]): webhook.RehearsedRule[] {
  return rules.map(({ state, notices, settings, ...counts }, index) => ({
    ...counts,
    ruleIndex: index,
    ruleId: ruleIds[index] ?? '',
    symbol,
    notices: notices.map((notice) => ({ ...notice })),
    settings: settings.map((setting) => ({ ...setting })),
    state: ALERT_STATES[state],
  }));
}

/**
 * Packets not stored here are read from labeling, newest first, and stored, so that a rehearsal that timed out
 * continues where it stopped.
 * @throws ServiceError `rehearsal_too_long`; INVALID_ARGUMENT if the span is in the future; `beyond_retention` if it ends
 * before every symbol's oldest packet
 */
async function rehearseRules(deps: RehearsalDeps, order: RehearsalOrder): Promise<RehearsedSymbol[]> {
  refuseLong(order);
  const rehearsed: RehearsedSymbol[] = [];
  for (const symbol of order.symbols) {
    for (const span of await unstoredSpans(deps.pool, symbol, order)) await storeSpan(deps, symbol, span);
    rehearsed.push(await rehearseSymbol(deps, symbol, order));
  }
  if (rehearsed.some(({ packets }) => packets > 0)) return rehearsed;
  refuseFaults(futureFaults('from_ms', order.fromMs, deps.clock()));
  await refuseUnretained(deps, order);
  return rehearsed;
}

async function refuseUnretained({ packets }: RehearsalDeps, { symbols, toMs }: RehearsalOrder): Promise<void> {
  const first = { fromWindowEndMs: 0, toWindowEndMs: 0, pageSize: 1, pageToken: '', descending: false, asOfMs: 0 };
  const pages = await Promise.all(symbols.map((symbol) => packets.call.listPackets({ symbol, ...first })));
  const oldestMs = Math.min(...pages.flatMap((page) => page.packets.map(({ windowEndMs }) => windowEndMs)));
  if (oldestMs === Infinity || toMs > oldestMs) return;
  const sentence = `No packet from before ${new Date(oldestMs).toISOString()} is retained.`;
  throw failedPrecondition('beyond_retention', sentence, { metadata: { oldest_ms: String(oldestMs) } });
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
    `The period has ${steps} packets times rules; the limit is ${STEPS_MAX}. A period that fits: ${span}.`,
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
  const rehearsal = startRehearsal(rules, before.map(readRuleInput));
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
