import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { timeLimit } from '@market-state/lifecycle';
import type { Answer } from '../system/api';
import { cutAnswer, cutText, masked, type Example } from './example-file';
import type { DocumentedOperation } from './document';
import { AGAIN_MS, isPassing, type Scene, type Body } from './scene';
import type { Step } from './step';

const WAIT_MS = 240_000;

/**
 * Reads an event stream until it has sent these kinds of messages, and returns those in order; `end` takes all up to
 * it.
 * @throws Error if the status is not 200, or they do not arrive within a minute
 */
async function readStream(url: string, headers: Readonly<Record<string, string>>, kinds: readonly string[]): Promise<string> {
  const cut = new AbortController();
  const response = await fetch(url, { headers, signal: AbortSignal.any([cut.signal, timeLimit(WAIT_MS)]) });
  if (response.status !== 200 || response.body === null) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
  const wanted = [...kinds];
  const takesAll = kinds[0] === 'end';
  const kept: string[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const isNext = /^event: (.*)$/m.exec(block)?.[1] === wanted[0];
      if (isNext) wanted.shift();
      if (wanted.length === 0 && !isNext) break;
      if ((isNext || takesAll) && block.includes('data: ')) kept.push(`${block}\n\n`);
    }
    if (wanted.length === 0) break;
  }
  cut.abort();
  if (wanted.length > 0) throw new Error(`${url} ended without ${wanted.join(', ')}.`);
  return kept.join('');
}

const ANSWER_MS = 60_000;
const ITEMS = 2;
const CHARACTERS = 600;
const JSON_TYPE = /json/;
const PACKED_TYPE = 'application/gzip';

/** Fields in answers that later paths need as parameters. */
const THINGS = ['webhook_id', 'alert_id', 'watchlist_id', 'saved_search_id', 'job_id', 'task_id', 'share_id'];

/** @throws Error if the answer is not the expected one */
export async function takeStep(scene: Scene, step: Step, operation: DocumentedOperation): Promise<Example> {
  await step.before?.(scene);
  const target = `${scene.system.url}${step.path?.(scene) ?? filledPath(scene, operation.path)}${queryText(step, scene)}`;
  if (step.messages !== undefined) {
    const text = await readStream(target, scene.asKey, step.messages);
    return { summary: step.summary, left: [], value: masked(text), type: 'text/event-stream' };
  }
  const answer = await ask(scene, step, operation.method, target);
  remember(scene, answer.body);
  step.after?.(scene, answer);
  const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
  const { value, left } =
    JSON_TYPE.test(type) && Object.keys(answer.body).length > 0 ? cutBody(answer.text, step) : cutText(answer.text, CHARACTERS);
  return { summary: step.summary, left, value: JSON.parse(masked(JSON.stringify(value))) as unknown, type };
}

function cutBody(text: string, { items = ITEMS, lists = {}, keeps = {} }: Step) {
  return cutAnswer(JSON.parse(text), { items, lists, keeps });
}

async function ask(scene: Scene, step: Step, method: string, target: string): Promise<Answer> {
  const { status = 200, until = () => true } = step;
  const endMs = performance.now() + AGAIN_MS.limitMs;
  for (;;) {
    const answer = await askOnce(scene, step, method, target);
    if (answer.status === status && until(answer.body)) return answer;
    const mayChange = answer.status === status || isPassing(answer.status);
    if (!mayChange || performance.now() > endMs) {
      throw new Error(`${step.operation}: ${method} ${target} answers ${answer.status}: ${answer.text.slice(0, 1_000)}`);
    }
    await delay(AGAIN_MS.everyMs);
  }
}

async function askOnce(scene: Scene, step: Step, method: string, target: string): Promise<Answer> {
  const body = step.body === undefined ? undefined : JSON.stringify(step.body(scene));
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...credentialOf(scene, step),
    ...step.headers?.(scene, body ?? ''),
  };
  const response = await fetch(target, { method, headers, body, signal: timeLimit(ANSWER_MS) });
  const bytes = Buffer.from(await response.arrayBuffer());
  // Shows the text of a compressed file.
  const text = (response.headers.get('content-type') === PACKED_TYPE ? gunzipSync(bytes) : bytes).toString('utf8');
  const isJson = JSON_TYPE.test(response.headers.get('content-type') ?? '') && response.status !== 206;
  return { status: response.status, headers: response.headers, text, body: isJson ? (JSON.parse(text) as Body) : {} };
}

function credentialOf(scene: Scene, { as = 'key' }: Step): Readonly<Record<string, string>> {
  if (as === 'anonymous') return {};
  return as === 'key' ? scene.asKey : scene.asSession;
}

function filledPath(scene: Scene, path: string): string {
  return path.replace(/\{([^}]+)\}/g, (_braces, name: string) => encodeURIComponent(scene.thing(name)));
}

function queryText({ query }: Step, scene: Scene): string {
  if (query === undefined) return '';
  const pairs = Object.entries(query(scene)).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}=${encodeURIComponent(each)}`),
  );
  return `?${pairs.join('&')}`;
}

function remember(scene: Scene, body: Body): void {
  for (const name of THINGS) {
    const value = body[name];
    if (typeof value === 'string') scene.things.set(name, value);
  }
}
