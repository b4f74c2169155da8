import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUsable, type MarketState, ProblemError, TransportError } from '../src';
import { waitBefore } from '../src/call/retry';
import { createEventParser } from '../src/streams/follow';
import { canonicalJson, checkChain, checkPacket } from '../src/verify';
import { type VerificationError, verifyWebhook } from '../src/webhooks';
import cases from './cases.json';
import { clientOf, type SharedClient, type SharedReply } from './shared-client';

/** The Python client runs the same cases (libs/client-python/tests/test_cases.py). */

/** Where each operation is. */
const NAMES = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../../tools/generate/client-names.mjs'), 'utf8').matchAll(
      /^ {2}(\w+): '(\w+)\.(\w+)',$/gm,
    ),
  ].map(([, operation = '', group = '', name = '']) => [operation, { group, name }]),
);

type Ask = (params: object, options: object) => Promise<object> & AsyncGenerator<object>;
type Facts = Readonly<Record<string, unknown>>;

function methodOf(ms: MarketState, operation: string): Ask {
  const { group = '', name = '' } = NAMES.get(operation) ?? {};
  const methods = (ms as unknown as Readonly<Record<string, Readonly<Record<string, Ask>>>>)[group];
  return (params, options) => methods?.[name]?.call(methods, params, options) as ReturnType<Ask>;
}

interface CallCase {
  readonly name: string;
  readonly client?: object;
  readonly budget?: number;
  readonly calls: readonly {
    readonly operation: string;
    readonly params?: object;
    readonly options?: object;
    readonly knownFrom?: number;
  }[];
  readonly replies: readonly SharedReply[];
  readonly outcomes: readonly { readonly data?: unknown; readonly call?: object; readonly error?: object }[];
  readonly sent?: readonly Facts[];
  readonly sentTotal?: number;
  readonly same?: readonly string[];
  readonly budgetLeft?: number;
}

test.each(cases.calls as unknown as readonly CallCase[])('a call: $name', async (each) => {
  const { ms, sent } = clientOf(each);
  const answers: unknown[] = [];
  for (const { operation, params = {}, options = {}, knownFrom } of each.calls) {
    const known = knownFrom === undefined ? {} : { known: answers[knownFrom] };
    answers.push(await methodOf(ms, operation)(params, { ...options, ...known }).catch((error: unknown) => ({ error })));
  }
  for (const [at, { error, ...outcome }] of each.outcomes.entries()) {
    expect(answers[at]).toMatchObject(error === undefined ? outcome : {});
    if (error === undefined) continue;
    const { begins, ...facts } = error as { readonly begins?: string };
    const thrown = (answers[at] as { readonly error: Error }).error;
    expect(thrown).toMatchObject(facts);
    if (begins !== undefined) expect(thrown.message.slice(0, begins.length)).toBe(begins);
  }
  for (const [at, facts] of (each.sent ?? []).entries()) expect(sent[at]).toMatchObject(facts);
  if (each.sentTotal !== undefined) expect(sent).toHaveLength(each.sentTotal);
  for (const name of each.same ?? []) expect(new Set(sent.map(({ headers }) => headers[name])).size).toBe(1);
  if (each.budgetLeft !== undefined) expect(ms.budgetLeft).toBe(each.budgetLeft);
});

interface StreamCase extends SharedClient {
  readonly name: string;
  readonly operation: string;
  readonly params?: object;
  readonly options?: object;
  readonly messages?: readonly object[];
  readonly messageTotal?: number;
  readonly last?: object;
  readonly error?: object;
  readonly after?: readonly (string | null)[];
  readonly maxCredits?: readonly string[];
  readonly query?: Facts;
  readonly lastQuery?: Facts;
  readonly sentTotal?: number;
  readonly budgetLeft?: number;
}

test.each(cases.streams as unknown as readonly StreamCase[])('a stream: $name', async (each) => {
  const { ms, sent } = clientOf(each);
  const messages: object[] = [];
  let thrown: unknown;
  try {
    for await (const message of methodOf(ms, each.operation)(each.params ?? {}, each.options ?? {})) messages.push(message);
  } catch (error) {
    thrown = error;
  }
  if (each.error === undefined) expect(thrown).toBeUndefined();
  else expect(thrown).toMatchObject(each.error);
  if (each.messages !== undefined) expect(messages).toMatchObject(each.messages);
  if (each.messageTotal !== undefined) expect(messages).toHaveLength(each.messageTotal);
  if (each.last !== undefined) expect(messages.at(-1)).toMatchObject(each.last);
  if (each.after !== undefined) expect(sent.map(({ headers }) => headers['last-event-id'] ?? null)).toEqual(each.after);
  if (each.maxCredits !== undefined) expect(sent.map(({ headers }) => headers['x-max-credits'])).toEqual(each.maxCredits);
  if (each.query !== undefined) expect(Object.fromEntries(sent[0]?.query ?? [])).toMatchObject(each.query);
  if (each.lastQuery !== undefined) expect(Object.fromEntries(sent.at(-1)?.query ?? [])).toMatchObject(each.lastQuery);
  if (each.sentTotal !== undefined) expect(sent).toHaveLength(each.sentTotal);
  if (each.budgetLeft !== undefined) expect(ms.budgetLeft).toBe(each.budgetLeft);
});

test.each(cases.waits)('waits $waitMs ms after $status, $retryAfterMs asked, sent $attempts times', (each) => {
  const { status, retryAfterMs, attempts, repeatable, random, waitMs } = each;
  const said = { code: '', title: '', detail: '', requestId: '', docs: '', body: {}, attempts };
  const error = status === null ? new TransportError('', '', attempts) : new ProblemError({ ...said, status, retryAfterMs });
  expect(waitBefore(error, attempts, repeatable, () => random)).toBe(waitMs);
});

test.each(cases.prices)('$operation with $params costs $credits credits at most', ({ operation, params, credits }) => {
  const { ms } = clientOf({ replies: [] });
  expect(ms.creditsAtMost(operation as 'getLatest', params)).toBe(credits);
});

test.each(cases.webhooks)('a webhook message: $name', async ({ body, headers, secrets, now, toleranceSeconds, verdict }) => {
  const options = { now: () => now * 1_000, toleranceSeconds };
  const found = verifyWebhook(body, headers as unknown as Record<string, string>, secrets, options);
  expect(await found.then(() => 'genuine').catch((error: VerificationError) => error.code)).toBe(verdict);
});

test.each(cases.canonical)('writes $json as RFC 8785 does', ({ json, text }) => expect(canonicalJson(JSON.parse(json))).toBe(text));

test.each(cases.numbers)('writes the number $double as RFC 8785 does', ({ double, text }) => {
  expect(canonicalJson(Buffer.from(double, 'hex').readDoubleBE(0))).toBe(text);
});

test.each(cases.packets)('a packet: $name', async ({ row, check, ...given }) => {
  expect(await checkPacket(row, 'keys' in given ? given.keys : undefined)).toMatchObject(check);
});

test.each(cases.chains)('a chain: $name', async ({ rows, check, ...given }) => {
  expect(await checkChain(rows, 'keys' in given ? given.keys : undefined)).toEqual(check);
});

test.each(cases.sse)('reads the events of a text, however it is cut', ({ text, events }) => {
  for (let cut = 0; cut <= text.length; cut += 1) {
    const parse = createEventParser();
    expect([...parse(text.slice(0, cut)), ...parse(text.slice(cut)), ...parse('\n')]).toEqual(events);
  }
});

test.each(cases.usable)('$answer may be acted on: $usable', ({ answer, usable }) => expect(isUsable(answer)).toBe(usable));
