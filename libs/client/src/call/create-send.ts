import type { Send } from '../send';
import { openStream } from '../streams/open-stream';
import type { Answer, CallOptions, Data, OperationId, Params, RowOf, Rows } from '../types';
import { send } from './caller';
import { factsOf, type Given } from './request';
import type { Settings } from './settings';
import { TransportError } from '../errors';
import { startDeadline } from './deadline';

type Ask<K extends OperationId> = (params: Params<K>, options?: CallOptions) => Promise<Answer<K>>;

/** The pages of an operation, asked for one by one. */
function rowsOf<K extends OperationId>(id: K, params: Params<K>, options: CallOptions | undefined, ask: Ask<K>): Rows<K> {
  const field = factsOf(id).rows ?? 'rows';

  async function* pages(): AsyncGenerator<Answer<K>, void, undefined> {
    let cursor = (params as Given)['cursor'];
    for (;;) {
      const answer = await ask((cursor === undefined ? params : { ...(params as Given), cursor }) as Params<K>, options);
      yield answer;
      const next = (answer.data as Given)['next_cursor'];
      // The cursor of a list that grows is there at its end too: the rows after it are not made yet.
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
 * The same answer, whose body breaks off when nothing of it comes for so long, or when the signal aborts: what reads it is told, and
 * the connection is closed.
 * @param silenceMs longest time between two pieces, milliseconds
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
            reject(deadline.isOver() ? new TransportError('No whole answer came in time.', requestId, 1) : signal?.reason);
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

/** How the methods of a client reach its service. */
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

  // The service sends what the view that was given has.
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
