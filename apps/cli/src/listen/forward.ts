import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { timeLimit } from '@market-state/lifecycle';
import { formatWebhookSecret, signWebhook, WEBHOOK_SECRET_SIZE_BYTES } from '@market-state/webhook-signing';
import { z } from 'zod';
import { badInput, CliError, EXIT } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { createRestApi, type RestApi } from '../io/rest-api';
import { openAccess } from './access';
import { messageShape, spaced, timeOfDay } from './message';
import type { ForwardSettings } from './settings';

const EVENTS = '/api/public/market-state/webhooks/events';
const WAIT_SECONDS = 20;
const PAGE = 100;
/** Time of one post, as a delivery has. */
const POST_MS_MAX = 15_000;
const AGAIN_MS = 3_000;

const pageShape = z.object({ events: z.array(messageShape.loose()), next_cursor: z.string() });
type Page = z.infer<typeof pageShape>;
type Event = Page['events'][number];

/** Posts each new message of the tenant to the user's server, signed, until the user ends it. What was made before is not posted. */
export async function forward(settings: ForwardSettings, io: CliIo): Promise<void> {
  const say = (line: string): void => void io.stdout.write(`${line}\n`);
  const api = createRestApi(await openAccess(io, settings), io.signal);
  const kinds = settings.kinds.join(',');
  let cursor = await endOf(api, kinds);
  const secret = formatWebhookSecret(randomBytes(WEBHOOK_SECRET_SIZE_BYTES));
  say(`Posting new messages to ${settings.target}, signed with ${secret}. Ctrl-C ends it.`);
  while (!io.signal.aborted) {
    const { events, next_cursor: next } = await nextPage();
    for (const event of events) {
      const outcome = await post(event);
      say(spaced(timeOfDay(Date.now()), event.type, event.id, event.data.symbol, event.data.phase, outcome));
    }
    cursor = next;
  }

  /** Waits for messages, also while the service is away. */
  async function nextPage(): Promise<Page> {
    for (;;) {
      try {
        return await readPage(api, { wait_seconds: WAIT_SECONDS, limit: PAGE, cursor, ...(kinds === '' ? {} : { kinds }) });
      } catch (error) {
        if (!(error instanceof CliError) || error.exitCode !== EXIT.incomplete) throw error;
        say(spaced(timeOfDay(Date.now()), error.message));
        await wait(AGAIN_MS, undefined, { signal: io.signal });
      }
    }
  }

  /** Posts until there is an answer. */
  async function post(event: Event): Promise<string> {
    for (;;) {
      const answer = await postOnce(settings.target, secret, event, io.signal);
      if (typeof answer === 'number') return `answered ${answer}`;
      io.signal.throwIfAborted();
      say(spaced(timeOfDay(Date.now()), event.type, event.id, `no answer (${answer.message}); again in ${AGAIN_MS / 1_000} s`));
      await wait(AGAIN_MS, undefined, { signal: io.signal });
    }
  }
}

/** The cursor after all messages that there are. */
async function endOf(api: RestApi, kinds: string): Promise<string> {
  let cursor = '';
  for (;;) {
    const query = { wait_seconds: 0, limit: PAGE, ...(cursor === '' ? {} : { cursor }), ...(kinds === '' ? {} : { kinds }) };
    const { events, next_cursor: next } = await readPage(api, query);
    cursor = next;
    if (events.length < PAGE) return cursor;
  }
}

async function readPage(api: RestApi, query: Readonly<Record<string, string | number>>): Promise<Page> {
  const read = pageShape.safeParse(await api.get<unknown>(EVENTS, query));
  if (!read.success)
    throw badInput(`The service answers ${EVENTS} otherwise than this program expects: ${read.error.issues[0]?.message ?? ''}`);
  return read.data;
}

async function postOnce(target: string, secret: string, event: Event, signal: AbortSignal): Promise<number | Error> {
  const body = JSON.stringify(event);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = { 'content-type': 'application/json', ...signWebhook({ id: event.id, timestampSeconds, body }, [secret]) };
  try {
    const options = { method: 'POST', headers, body, redirect: 'manual' as const };
    const answer = await fetch(target, { ...options, signal: AbortSignal.any([signal, timeLimit(POST_MS_MAX)]) });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    const { cause, message } = error as Error;
    return cause instanceof Error ? cause : new Error(message);
  }
}
