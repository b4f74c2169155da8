import type { Send } from '../send';
import { rowsOf } from '../pages';
import { openStream } from '../streams/open-stream';
import type { Answer, CallOptions, Data, OperationId, Params } from '../types';
import { send } from './caller';
import { guardedBody } from './guarded-body';
import { factsOf, type Given } from './request';
import type { Settings } from './settings';

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
