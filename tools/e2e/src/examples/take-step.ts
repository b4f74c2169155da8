import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { timeLimit } from '@market-state/lifecycle';
import type { Answer } from '../system/api';
import { cutAnswer, cutText } from './cut';
import type { DocumentedOperation } from './document';
import type { Example } from './example-file';
import { masked } from './masks';
import { AGAIN_MS, isPassing } from './passing';
import type { Scene } from './scene';
import type { Body } from './body';
import type { Step } from './step';
import { readStream } from './read-stream';

const ANSWER_MS = 60_000;
const ITEMS = 2;
const CHARACTERS = 600;
const JSON_TYPE = /json/;
const PACKED_TYPE = 'application/gzip';

/** Names in answers that later paths have as parameters. */
const THINGS = ['webhook_id', 'alert_id', 'watchlist_id', 'saved_search_id', 'job_id', 'task_id', 'share_id'];

/** Makes one call and gives what its example shows. @throws Error when the answer is not the one expected */
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
  // Of a packed file its text is shown.
  const text = (response.headers.get('content-type') === PACKED_TYPE ? gunzipSync(bytes) : bytes).toString('utf8');
  const isJson = JSON_TYPE.test(response.headers.get('content-type') ?? '') && response.status !== 206;
  return { status: response.status, headers: response.headers, text, body: isJson ? (JSON.parse(text) as Body) : {} };
}

function credentialOf(scene: Scene, { as = 'key' }: Step): Readonly<Record<string, string>> {
  if (as === 'nobody') return {};
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
