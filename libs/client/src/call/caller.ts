import { TransportError } from '../errors';
import type { CallFacts, CallOptions, OperationId } from '../types';
import { holdFor, boundOf } from './budget';
import { type Deadline, pause, startDeadline } from './deadline';
import { callFactsOf, problemIn } from './read-answer';
import { addressOf, factsOf, type Given, type OperationFacts } from './request';
import { waitBefore } from './retry';
import { credentialOf, newId, type Settings } from './settings';

/** An answer that was read. */
export interface Read<T> {
  readonly value: T;
  readonly call: CallFacts;
}

/** A call that is sent once or more, always with the same id and the same Idempotency-Key. */
interface Outgoing {
  readonly id: OperationId;
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Record<string, string> };
  readonly facts: OperationFacts;
  readonly bound: number | null;
  readonly requestId: string;
}

/**
 * Sends a call until it is answered. Reads, and what has an Idempotency-Key, are sent again after 429, 503, 504 and faults of the
 * connection, three times at most. `read` gets the answer while its deadline runs, and what it throws counts as a fault of the connection.
 * @throws ProblemError, TransportError, BudgetError; the reason of `options.signal`
 */
export async function send<T>(
  settings: Settings,
  id: OperationId,
  given: Given,
  options: CallOptions,
  read: (response: Response, deadline: Deadline) => Promise<T>,
): Promise<Read<T>> {
  const call = prepare(settings, id, given, options);
  const isRepeatable = call.facts.method === 'GET' || call.facts.repeatable === true;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(settings, call, given, options, attempts, read);
    } catch (error) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      const wait = waitBefore(error, attempts, isRepeatable, settings.random);
      if (wait === null) throw error;
      await pause(wait, options.signal);
    }
  }
}

function prepare(settings: Settings, id: OperationId, given: Given, options: CallOptions): Outgoing {
  const facts = factsOf(id, settings);
  const { address, rest } = addressOf(facts, given);
  const { headers, credentials } = credentialOf(settings, facts.open === true);
  const requestId = newId('req_');
  const sent: Record<string, string> = { ...headers, 'x-request-id': requestId };
  if (facts.repeatable === true) sent['idempotency-key'] = options.idempotencyKey ?? newId('idem_');
  if (options.quoteId !== undefined) sent['x-quote-id'] = options.quoteId;
  if (typeof options.known?.call.etag === 'string') sent['if-none-match'] = options.known.call.etag;
  // A browser's session may change something only by a body that is declared as JSON, even where it is empty.
  if (facts.method !== 'GET') sent['content-type'] = 'application/json';
  const hasBody = facts.body === 'required' || (facts.body !== undefined && Object.keys(rest).length > 0);
  return {
    id,
    url: `${settings.baseUrl}${address}`,
    init: {
      method: facts.method,
      credentials,
      headers: { ...sent, ...options.headers },
      ...(hasBody ? { body: JSON.stringify(rest) } : {}),
    },
    facts,
    bound: boundOf(facts, given, settings.apiKey),
    requestId,
  };
}

async function attempt<T>(
  settings: Settings,
  { id, url, init, facts, bound, requestId }: Outgoing,
  given: Given,
  options: CallOptions,
  attempts: number,
  read: (response: Response, deadline: Deadline) => Promise<T>,
): Promise<Read<T>> {
  const cap = options.maxCredits ?? settings.maxCreditsPerCall;
  const hold = holdFor(bound, facts.price === undefined ? null : cap, settings.budget);
  const headers = hold.maxCredits === null ? init.headers : { ...init.headers, 'x-max-credits': String(hold.maxCredits) };
  const waitedMs = facts.waits === undefined ? 0 : Number(given[facts.waits] ?? 0) * 1_000;
  const deadline = startDeadline((options.timeoutMs ?? settings.timeoutMs) + waitedMs, options.signal);
  // Until it is known otherwise, an attempt that was sent has cost all that it could.
  let charged = hold.maxCredits ?? 0;
  try {
    const response = await settings.fetch(url, { ...init, headers, signal: deadline.signal });
    if (!response.ok && response.status !== 304) {
      charged = 0;
      throw await problemIn(response, requestId, attempts);
    }
    const value = await read(response, deadline);
    const call = callFactsOf(response, requestId, attempts);
    charged = call.charged ?? 0;
    if (facts.price !== undefined) settings.onAnswer(id, call);
    return { value, call };
  } catch (error) {
    if (wasNeverSent(error)) charged = 0;
    throw asTransport(error, deadline, requestId, attempts);
  } finally {
    hold.settle(charged);
    deadline.end();
  }
}

/** What Node says where no connection came about; a browser does not say it. */
const NO_CONNECTION = /^E(CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)$/;

function wasNeverSent(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return NO_CONNECTION.test(String(cause?.code));
}

/** What was thrown while an answer was awaited or read, unless it is an error of the SDK. */
function asTransport(error: unknown, deadline: Deadline, requestId: string, attempts: number): unknown {
  if (error instanceof Error && 'requestId' in error) return error;
  if (deadline.isOver()) return new TransportError('No whole answer came in time.', requestId, attempts, error);
  return new TransportError('The connection failed before a whole answer came.', requestId, attempts, error);
}
