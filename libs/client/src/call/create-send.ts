import type { Send } from '../send';
import { openStream } from '../streams/open-stream';
import type { Answer, CallOptions, Data, OperationId, Params, RowOf, Rows, CallFacts } from '../types';
import { factsOf, type Given, addressOf, type OperationFacts } from './request';
import { type Settings, credentialOf, newId } from './settings';
import { TransportError } from '../errors';
import { startDeadline, type Deadline, pause } from './deadline';
import { holdFor, boundOf } from './budget';
import { callFactsOf, problemIn } from './read-answer';
import { waitBefore } from './retry';

interface Read<T> {
  readonly value: T;
  readonly call: CallFacts;
}

/** Call that may be sent several times, always with the same request id and Idempotency-Key. */
interface Outgoing {
  readonly id: OperationId;
  readonly url: string;
  readonly init: RequestInit & { readonly headers: Record<string, string> };
  readonly facts: OperationFacts;
  readonly bound: number | null;
  readonly requestId: string;
}

/**
 * Retries reads and calls with an Idempotency-Key after 429, 503, 504 and connection failures, at most three times.
 * `read` consumes the response within the deadline; its errors count as connection failures.
 * @throws ProblemError, TransportError, BudgetError; the reason of `options.signal`
 */
async function send<T>(
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
  // CSRF protection: in a session, changes need a JSON content type even without a body.
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
  // Assume the maximum cost until the actual cost is known.
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
    throw asTransport(error, deadline, requestId, attempts, callOf(init.method, url));
  } finally {
    hold.settle(charged);
    deadline.end();
  }
}

/** Node error codes that mean no connection was made; browsers report none. */
const NO_CONNECTION = /^E(CONNREFUSED|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH)$/;

function wasNeverSent(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return NO_CONNECTION.test(String(cause?.code));
}

/** Errors of waiting and reading, except the SDK's own. */
function asTransport(error: unknown, deadline: Deadline, requestId: string, attempts: number, address: string): unknown {
  if (error instanceof Error && 'requestId' in error) return error;
  const sentence = deadline.isOver()
    ? 'No complete response arrived in time.'
    : 'The connection failed before a complete response arrived.';
  return new TransportError(sentence, requestId, attempts, error, address);
}

/** Method and URL, without the query. */
function callOf(method: string | undefined, url: string): string {
  return `${method ?? 'GET'} ${url.split('?')[0] ?? ''}`;
}

type Ask<K extends OperationId> = (params: Params<K>, options?: CallOptions) => Promise<Answer<K>>;

/** Requests pages one at a time. */
function rowsOf<K extends OperationId>(id: K, params: Params<K>, options: CallOptions | undefined, ask: Ask<K>): Rows<K> {
  const field = factsOf(id).rows ?? 'rows';

  async function* pages(): AsyncGenerator<Answer<K>, void, undefined> {
    let cursor = (params as Given)['cursor'];
    for (;;) {
      const answer = await ask((cursor === undefined ? params : { ...(params as Given), cursor }) as Params<K>, options);
      yield answer;
      const next = (answer.data as Given)['next_cursor'];
      // A growing list has a cursor even at its end, for rows that do not exist yet.
      if (typeof next !== 'string' || next === '' || (next === cursor && listIn(answer).length === 0)) return;
      cursor = next;
    }
  }

  function listIn(answer: Answer<K>): readonly RowOf<K>[] {
    return ((answer.data as Given)[field] ?? []) as readonly RowOf<K>[];
  }

  async function* rows(): AsyncGenerator<RowOf<K>, void, undefined> {
    for await (const page of pages()) yield* listIn(page);
  }

  async function take(total: number): Promise<RowOf<K>[]> {
    const taken: RowOf<K>[] = [];
    if (total <= 0) return taken;
    for await (const row of rows()) {
      taken.push(row);
      if (taken.length >= total) break;
    }
    return taken;
  }

  return {
    [Symbol.asyncIterator]: rows,
    pages,
    take,
    async all({ maxRows }) {
      const taken = await take(maxRows + 1);
      if (taken.length > maxRows) throw new RangeError(`There are more than ${maxRows} rows.`);
      return taken;
    },
  };
}

/**
 * The body fails if no data arrives for `silenceMs` or the signal aborts; the connection is then closed.
 * @param silenceMs longest time between two chunks
 */
function guardedBody(response: Response, silenceMs: number, requestId: string, signal: AbortSignal | undefined): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const deadline = startDeadline(silenceMs, signal);
        const ended = new Promise<never>((_resolve, reject) => {
          const end = (): void =>
            reject(deadline.isOver() ? new TransportError('No complete response arrived in time.', requestId, 1) : signal?.reason);
          deadline.signal.addEventListener('abort', end);
          if (deadline.signal.aborted) end();
        });
        try {
          const { done, value } = await Promise.race([reader.read(), ended]);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          reader.cancel().catch(() => undefined);
          throw error;
        } finally {
          deadline.end();
        }
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** Creates the transport behind the methods of a client. */
export function createSend(settings: Settings): Send {
  async function call<K extends OperationId>(
    id: K,
    params: Params<K> | Record<string, never>,
    options: CallOptions = {},
  ): Promise<Answer<K>> {
    const isText = factsOf(id).kind === 'text';
    const { value, call: facts } = await send(settings, id, params as Given, options, async (response) => {
      const text = await response.text();
      if (response.status === 304) return options.known?.data;
      return isText ? text : (JSON.parse(text) as unknown);
    });
    return { data: value as Data<K>, call: facts };
  }

  // The service returns the requested view, so the cast is safe.
  const ask: Send = {
    call: call as Send['call'],
    async file(id, params, options = {}) {
      const { value, call: facts } = await send(settings, id, params as Given, options, (response) => Promise.resolve(response));
      return { response: guardedBody(value, options.timeoutMs ?? settings.timeoutMs, facts.requestId, options.signal), call: facts };
    },
    rows: ((id, params, options) => rowsOf(id, params, options, (page, own) => call(id, page, own))) as Send['rows'],
    stream: ((id, params, options = {}) => openStream(settings, id, params, options, ask)) as Send['stream'],
  };
  return ask;
}
