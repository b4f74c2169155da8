import type { AlertMessage, AlertStreamParams } from './alerts';
import { pause } from './call/deadline';
import { waitBefore, waitMs } from './call/retry';
import type { Send } from './send';

const WAIT_SECONDS = 20;

/** Alerts from messages that the service holds back until there is one. */
export async function* alertMessages(
  send: Send,
  { from = 'now', resumeFrom = '' }: AlertStreamParams,
  options: { readonly signal?: AbortSignal },
): AsyncGenerator<AlertMessage, void, undefined> {
  let cursor = resumeFrom;
  for (let failures = 0; ; ) {
    const position = cursor === '' ? { start: from, wait_seconds: 0 } : { cursor, wait_seconds: WAIT_SECONDS };
    try {
      const { data } = await send.call('listWebhookEvents', { kinds: 'alert.triggered', ...position }, options);
      failures = 0;
      for (const [at, message] of data.events.entries())
        yield { id: at + 1 < data.events.length ? cursor : data.next_cursor, data: message as AlertMessage['data'] };
      cursor = data.next_cursor;
    } catch (error) {
      if (waitBefore(error, 1, true, Math.random) === null) throw error;
      failures += 1;
      await pause(waitMs(failures, Math.random), options.signal);
    }
  }
}
