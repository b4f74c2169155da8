import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { MarketState, Params } from '@market-state/client';
import { formatWebhookSecret, WEBHOOK_SECRET_SIZE_BYTES, signWebhook } from '@market-state/webhook-signing';
import { z } from 'zod';
import { badInput } from '../cli-error';
import { isPassing, type Service } from '../client/open-service';
import type { CliIo } from '../io/cli-io';
import { messageShape, spaced, timeOfDay } from './judge';
import type { ForwardSettings } from './settings';
import { timeLimit } from '@market-state/lifecycle';

const WAIT_SECONDS = 20;
const PAGE = 100;
const AGAIN_MS = 3_000;

const pageShape = z.object({ events: z.array(messageShape.loose()), next_cursor: z.string() });
type Page = z.infer<typeof pageShape>;
type Event = Page['events'][number];

/** Runs until interrupted; earlier messages are skipped. */
export async function forward({ ms, access }: Service, settings: ForwardSettings, io: CliIo): Promise<void> {
  const isJson = settings.format === 'json';
  const say = (line: string): void => void (isJson ? io.stderr : io.stdout).write(`${line}\n`);
  const kinds = settings.kinds.join(',');
  let cursor = await endOf(ms, kinds, io.signal);
  const secret = formatWebhookSecret(randomBytes(WEBHOOK_SECRET_SIZE_BYTES));
  say(`Forwarding new messages to ${settings.target}, signed with ${secret}. Press Ctrl-C to stop.`);
  while (!io.signal.aborted) {
    const { events, next_cursor: next } = await nextPage();
    for (const event of events) {
      const outcome = await post(event);
      if (isJson) io.stdout.write(`${JSON.stringify({ ...event, outcome })}\n`);
      else say(spaced(timeOfDay(Date.now()), event.type, event.id, event.data.symbol, event.data.phase, outcome));
    }
    cursor = next;
  }

  /** Keeps waiting while the service is unreachable. */
  async function nextPage(): Promise<Page> {
    for (;;) {
      try {
        return await readPage(ms, { wait_seconds: WAIT_SECONDS, limit: PAGE, cursor, ...(kinds === '' ? {} : { kinds }) }, io.signal);
      } catch (error) {
        if (!isPassing(error)) throw error;
        say(spaced(timeOfDay(Date.now()), `${access.url} is unavailable: ${error.message}`));
        await wait(AGAIN_MS, undefined, { signal: io.signal });
      }
    }
  }

  /** Retries until the server responds. */
  async function post(event: Event): Promise<string> {
    for (;;) {
      const answer = await postEvent(settings.target, secret, event, io.signal);
      if (typeof answer === 'number') return `responded ${answer}`;
      io.signal.throwIfAborted();
      say(spaced(timeOfDay(Date.now()), event.type, event.id, `no response (${answer.message}); retrying in ${AGAIN_MS / 1_000} s`));
      await wait(AGAIN_MS, undefined, { signal: io.signal });
    }
  }
}

/** Cursor after the newest message. */
async function endOf(ms: MarketState, kinds: string, signal: AbortSignal): Promise<string> {
  let cursor = '';
  for (;;) {
    const query = { wait_seconds: 0, limit: PAGE, ...(cursor === '' ? {} : { cursor }), ...(kinds === '' ? {} : { kinds }) };
    const { events, next_cursor: next } = await readPage(ms, query, signal);
    cursor = next;
    if (events.length < PAGE) return cursor;
  }
}

async function readPage(ms: MarketState, query: Params<'listWebhookEvents'>, signal: AbortSignal): Promise<Page> {
  const read = pageShape.safeParse((await ms.webhooks.events(query, { signal })).data);
  if (!read.success) throw badInput(`Unexpected message list from the service: ${read.error.issues[0]?.message ?? ''}`);
  return read.data;
}

/** Same timeout as a real delivery. */
const POST_MS_MAX = 15_000;

/** Returns the status, or the error if there was no response. */
async function postEvent(target: string, secret: string, event: { readonly id: string }, signal: AbortSignal): Promise<number | Error> {
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
