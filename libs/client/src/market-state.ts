import { Alerts } from './alerts';
import { boundOf, Budget } from './call/budget';
import { createSend } from './call/create-send';
import { addressOf, factsOf, type Given } from './call/request';
import type { Settings } from './call/settings';
import { Exports } from './exports';
import { Groups, StreamOperations } from './generated/groups';
import { addRanges, type Ranges } from './ranges';
import type { Send } from './send';
import type { StreamId } from './streams/types';
import type { Answer, CallFacts, CallOptions, FileId, OperationId, Params, Rows, Schemas } from './types';

/** Price of one call, binding for five minutes. */
export interface Quote<T> {
  /** Sent as `X-Quote-Id`. */
  readonly id: string;
  /** In market-state credits; for a live stream, its first hundred messages. */
  readonly maxCredits: number;
  readonly maxExportCredits: number;
  readonly expiresAtUtc: string;
  /** With the basis of the price and the balances after the call. */
  readonly estimate: Schemas['UsageEstimate'];
  /** @throws PaymentRequiredError `quote_mismatch` if the quote has expired */
  run(): Promise<T>;
}

function quoteOf<T>(estimate: Schemas['UsageEstimate'], run: () => Promise<T>): Quote<T> {
  return {
    id: estimate.quote_id,
    maxCredits: estimate.estimated_market_state_credit_cost,
    maxExportCredits: estimate.estimated_export_credit_cost,
    expiresAtUtc: estimate.quote_expires_at_utc,
    estimate,
    run,
  };
}

const TIMEOUT_MS = 30_000;
const CREDITS_PER_CALL = 100;

export interface MarketStateOptions {
  /** `https://…`. */
  readonly baseUrl: string;
  /** Sent as `x-market-state-api-key`, only with operations that need a credential. */
  readonly apiKey?: string;
  /** In a page of the service itself: the browser's session replaces a key. */
  readonly session?: boolean;
  /** Sent as `X-Max-Credits`; the service rejects calls that could cost more, free of charge. 100 by default. */
  readonly maxCreditsPerCall?: number;
  /** For one attempt, including reading the response; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Replaces `Math.random` for the jitter of retries; from 0 to 1. */
  readonly random?: () => number;
  /** Called for each answer of a metered operation and each opened connection of a stream. */
  readonly onAnswer?: (id: OperationId, call: CallFacts) => void;
}

export interface OutgoingRequest {
  readonly method: string;
  /** With query. */
  readonly path: string;
  /** JSON; null if the operation has no body. */
  readonly body: string | null;
}

/** Client of one service, with a method per operation. Creating it sends nothing. */
export class MarketState extends Groups {
  override readonly alerts: Alerts;
  declare readonly book: Groups['book'] & Ranges['book'];
  declare readonly candles: Groups['candles'] & Ranges['candles'];
  declare readonly context: Groups['context'] & Ranges['context'];
  declare readonly gaps: Groups['gaps'] & Ranges['gaps'];
  declare readonly history: Groups['history'] & Ranges['history'];
  declare readonly liquidations: Groups['liquidations'] & Ranges['liquidations'];
  declare readonly trades: Groups['trades'] & Ranges['trades'];
  readonly exports: Exports;
  readonly stream: StreamOperations;
  private readonly options: MarketStateOptions;
  private readonly budget: Budget | null;
  private readonly send: Send;

  /** @param budget set by `withBudget` */
  constructor(options: MarketStateOptions, budget: Budget | null = null) {
    const settings = settingsOf(options, budget);
    const send = createSend(settings);
    super(send);
    this.options = options;
    this.budget = budget;
    this.send = send;
    this.alerts = new Alerts(send);
    addRanges(this, send);
    this.exports = new Exports(send);
    this.stream = new StreamOperations(send);
  }

  /**
   * Client whose calls may cost at most `credits` in total, also counted against this client's own budget. A call that
   * could exceed it throws BudgetError without being sent. The maximum cost of running calls is reserved; an attempt
   * without a response counts in full unless no connection was made. Resends by the browser itself
   * (`CallFacts.attempts`) are not counted: a key's ceiling is the only strict limit.
   */
  withBudget(credits: number): MarketState {
    return new MarketState(this.options, new Budget(credits, this.budget));
  }

  /** Credits left of the budget; null without one. */
  get budgetLeft(): number | null {
    return this.budget?.remaining ?? null;
  }

  /**
   * Credits of its kind, by the price table of this version; sends nothing. 0 if free; null if only the service knows:
   * exports, streams, bundles, `symbol=ALL`.
   */
  creditsAtMost<K extends OperationId>(id: K, params: Params<K>): number | null {
    const facts = factsOf(id, { session: this.options.session === true });
    return boundOf(facts, params as Given, this.options.apiKey);
  }

  /** Calls an operation by its OpenAPI name. */
  call<K extends Exclude<OperationId, StreamId | FileId>>(id: K, params: Params<K>, options?: CallOptions): Promise<Answer<K>> {
    return this.send.call(id, params, options);
  }

  /** Rows of an operation by its OpenAPI name. */
  rows<K extends OperationId>(id: K, params: Params<K>, options?: CallOptions): Rows<K> {
    return this.send.rows(id, params, options);
  }

  /** Without the credential; sends nothing. @throws TypeError if a path parameter is missing */
  requestOf<K extends OperationId>(id: K, params: Params<K>): OutgoingRequest {
    const facts = factsOf(id, { session: this.options.session === true });
    const { address, rest } = addressOf(facts, params as Given);
    return { method: facts.method, path: address, body: facts.body === undefined ? null : JSON.stringify(rest) };
  }

  /** Maximum cost of a call, binding for five minutes. Free. */
  async quote<K extends Exclude<OperationId, StreamId | FileId>>(id: K, params: Params<K>): Promise<Quote<Answer<K>>> {
    const { method, path } = factsOf(id, { session: this.options.session === true });
    const { data } = await this.send.call('estimateUsage', { ...(params as Given), route: path, method } as Params<'estimateUsage'>);
    const maxCredits = data.estimated_market_state_credit_cost + data.estimated_export_credit_cost;
    return quoteOf(data, () => this.send.call(id, params, { quoteId: data.quote_id, maxCredits }));
  }
}

function settingsOf(options: MarketStateOptions, budget: Budget | null): Settings {
  const { apiKey, session = false, maxCreditsPerCall = CREDITS_PER_CALL, timeoutMs = TIMEOUT_MS } = options;
  if (session && apiKey !== undefined) throw new TypeError('pass either apiKey or session, not both');
  const { protocol } = new URL(options.baseUrl);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must start with https:// or http://');
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    apiKey,
    session,
    maxCreditsPerCall,
    timeoutMs,
    budget,
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    random: options.random ?? Math.random,
    onAnswer: options.onAnswer ?? (() => undefined),
  };
}
