import { Budget, boundOf } from './call/budget';
import { createSend } from './call/create-send';
import { addressOf, factsOf, type Given } from './call/request';
import type { Settings } from './call/settings';
import { Exports } from './exports';
import { Groups, StreamOperations } from './generated/groups';
import { type Quote, quoteOf } from './quote';
import type { Send } from './send';
import type { StreamId } from './streams/types';
import type { Answer, CallFacts, CallOptions, FileId, OperationId, Params, Rows } from './types';

const TIMEOUT_MS = 30_000;
const CREDITS_PER_CALL = 100;

/** How a client reaches the service. */
export interface MarketStateOptions {
  /** Address of the service, `https://…`. */
  readonly baseUrl: string;
  /** Sent in the header `x-market-state-api-key`, and only with operations that need a credential. */
  readonly apiKey?: string;
  /** In a page of the service itself: the browser's account session in place of a key. */
  readonly session?: boolean;
  /** Sent as `X-Max-Credits` with every metered call, which is refused, at no charge, if it could cost more; 100 by default. */
  readonly maxCreditsPerCall?: number;
  /** Longest time for one attempt of a call, its answer read; 30,000 ms by default. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** In place of `Math.random`, for the jitter of retries: from 0 to 1. */
  readonly random?: () => number;
  /** Told of each answer of a metered operation, and of each connection of a stream once it is open. */
  readonly onAnswer?: (id: OperationId, call: CallFacts) => void;
}

/** A call as it would be sent. */
export interface OutgoingRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** JSON; null where the operation takes none. */
  readonly body: string | null;
}

/** A client of one service. Each group has a method for each operation; nothing is sent before one is called. */
export class MarketState extends Groups {
  readonly exports: Exports;
  readonly stream: StreamOperations;
  private readonly options: MarketStateOptions;
  private readonly budget: Budget | null;
  private readonly send: Send;

  /** @param budget of `withBudget` */
  constructor(options: MarketStateOptions, budget: Budget | null = null) {
    const settings = settingsOf(options, budget);
    const send = createSend(settings);
    super(send);
    this.options = options;
    this.budget = budget;
    this.send = send;
    this.exports = new Exports(send);
    this.stream = new StreamOperations(send);
  }

  /**
   * A client whose calls cost so many credits together at most, those of this client's own budget included. A call that could pass it
   * is not sent: it throws BudgetError. What a call could cost is put aside while it runs; an attempt without an answer counts in full,
   * unless no connection came about.
   * What a browser sends again of itself (`CallFacts.attempts`) is not counted: the ceiling of a key is never passed, a budget can be.
   */
  withBudget(credits: number): MarketState {
    return new MarketState(this.options, new Budget(credits, this.budget));
  }

  /** Credits left of the budget; null without one. */
  get budgetLeft(): number | null {
    return this.budget?.remaining ?? null;
  }

  /**
   * The most that a call can cost, in credits of the kind that it costs, by the price table of this version; nothing is sent. 0 for what
   * is free. Null where only the service knows: exports, streams, bundles, `symbol=ALL`.
   */
  creditsAtMost<K extends OperationId>(id: K, params: Params<K>): number | null {
    const facts = factsOf(id, { session: this.options.session === true });
    return boundOf(facts, params as Given, this.options.apiKey);
  }

  /** Calls an operation by its name in the OpenAPI document, as the method of its group does. */
  call<K extends Exclude<OperationId, StreamId | FileId>>(id: K, params: Params<K>, options?: CallOptions): Promise<Answer<K>> {
    return this.send.call(id, params, options);
  }

  /** The rows of an operation by its name, as the `rows` of its group. */
  rows<K extends OperationId>(id: K, params: Params<K>, options?: CallOptions): Rows<K> {
    return this.send.rows(id, params, options);
  }

  /** The request that a call would send, its credential left out. @throws TypeError when a parameter of its path is missing */
  requestOf<K extends OperationId>(id: K, params: Params<K>): OutgoingRequest {
    const facts = factsOf(id, { session: this.options.session === true });
    const { address, rest } = addressOf(facts, params as Given);
    return { method: facts.method, path: address, body: facts.body === undefined ? null : JSON.stringify(rest) };
  }

  /** What a call would cost at most, with a quote that binds it for five minutes. Costs nothing. */
  async quote<K extends Exclude<OperationId, StreamId | FileId>>(id: K, params: Params<K>): Promise<Quote<Answer<K>>> {
    const { method, path } = factsOf(id, { session: this.options.session === true });
    const { data } = await this.send.call('estimateUsage', { ...(params as Given), route: path, method } as Params<'estimateUsage'>);
    const maxCredits = data.estimated_market_state_credit_cost + data.estimated_export_credit_cost;
    return quoteOf(data, () => this.send.call(id, params, { quoteId: data.quote_id, maxCredits }));
  }
}

function settingsOf(options: MarketStateOptions, budget: Budget | null): Settings {
  const { apiKey, session = false, maxCreditsPerCall = CREDITS_PER_CALL, timeoutMs = TIMEOUT_MS } = options;
  if (session && apiKey !== undefined) throw new TypeError('a client has a key or a session, not both');
  const { protocol } = new URL(options.baseUrl);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must begin with https:// or http://');
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
