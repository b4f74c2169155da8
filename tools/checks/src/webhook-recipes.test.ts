import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, workspaceRoot } from '@market-state/launcher';
import { timeLimit, waitFor } from '@market-state/lifecycle';

const KEY = Buffer.alloc(32, 5);
const SECRET = `whsec_${KEY.toString('base64')}`;
/** Changes its bytes when parsed and serialized again. */
const BODY = '{"type": "alert.triggered", "id": "msg_1", "data": {"score": 0.50, "note": "\\u00e9 é"}}';

const page = readFileSync(join(workspaceRoot(), 'docs/webhooks/verify.md'), 'utf8');
const recipes = new Map(
  [...page.matchAll(/```(?:js|python)[^\n]*\n(?:\/\/|#) (\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
);

let folder: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-recipes-'));
  symlinkSync(join(workspaceRoot(), 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface Running {
  send(body: string | Buffer, headers: Record<string, string>): Promise<number>;
  lines(): readonly string[];
}

function signed(body: string | Buffer, atMs: number, key = KEY): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const right = createHmac('sha256', key).update(`msg_1.${timestamp}.`).update(body).digest('base64');
  const signature = `v1,${Buffer.alloc(32).toString('base64')} v1,${right}`;
  return { 'content-type': 'application/json', 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

async function sendTo(url: string, body: string | Buffer, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(url, { method: 'POST', body, headers, signal: timeLimit(10_000) });
  await answer.arrayBuffer();
  return answer.status;
}

/** Runs a program of the page; a module with only a handler gets a Node server. */
async function start(name: string): Promise<Running> {
  const text = recipes.get(name) ?? '';
  const port = await freePort();
  const file = join(folder, name.replaceAll('/', '-'));
  writeFileSync(file, text);
  const answering = /export (?:default app|async function POST)/.test(text);
  const args = answering ? ['--input-type=module', '-e', served(file)] : [file];
  const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) };
  const child = spawn(name.endsWith('.py') ? 'python3' : process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  const url = `http://127.0.0.1:${port}/`;
  await waitFor(name, () => sendTo(url, '', { 'content-type': 'application/json' }), {
    signal: timeLimit(20_000),
    minDelayMs: 20,
    maxDelayMs: 100,
  });
  return { send: (body, headers) => sendTo(url, body, headers), lines: () => printed.split('\n').filter((line) => line !== '') };
}

/** A program that serves a file's module. */
function served(file: string): string {
  return `
    import { createServer } from 'node:http';
    const module = await import(${JSON.stringify(pathToFileURL(file).href)});
    const answer = module.POST ?? module.default.fetch;
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { status } = await answer(new Request('http://a/', { method: 'POST', headers: request.headers, body: Buffer.concat(chunks) }));
      response.writeHead(status).end();
    }).listen(process.env.PORT, '127.0.0.1');`;
}

/** Requests that the service never sends; the signed ones have a valid signature. */
function oddRequests(nowMs: number): readonly (readonly [string, string | Buffer, Record<string, string>])[] {
  const right = signed(BODY, nowMs);
  const withHeader = (name: string, value: string) => ({ ...right, [`webhook-${name}`]: value });
  const of = (name: string, body: string | Buffer) => [name, body, signed(body, nowMs)] as const;
  return [
    ['no header', BODY, { 'content-type': 'application/json' }],
    ['an empty timestamp', BODY, withHeader('timestamp', '')],
    ['a timestamp of 400 digits', BODY, withHeader('timestamp', '9'.repeat(400))],
    ['a timestamp that is no number', BODY, withHeader('timestamp', '1e9')],
    ['a superscript as timestamp', BODY, withHeader('timestamp', '²')],
    ['a negative timestamp', BODY, withHeader('timestamp', '-5')],
    ['a signature that is not ASCII', BODY, withHeader('signature', 'v1,é')],
    ['a signature without a version', BODY, withHeader('signature', 'é')],
    ['an id that is not ASCII', BODY, withHeader('id', 'é')],
    of('a signed body that is no JSON', 'type=alert'),
    of('a signed body that is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])),
    of('a signed null', 'null'),
    of('a signed list', '[]'),
    of('a signed body of 100,000 lists in each other', '['.repeat(100_000)),
    of('a signed body with a list as id', '{"type":"x","id":[1]}'),
  ];
}

test('the page has a program for each named platform', () => {
  expect([...recipes.keys()]).toEqual(['node-http.mjs', 'express.mjs', 'fastify.mjs', 'hono.mjs', 'app/webhook/route.mjs', 'receiver.py']);
});

test.each([...recipes.keys()])(
  '%s accepts a genuine message once, by its raw bytes, rejects every other, and answers every odd request',
  async (name) => {
    const receiver = await start(name);
    const nowMs = Date.now();
    expect(await receiver.send(BODY.replace('0.50', '0.51'), signed(BODY, nowMs))).toBe(401);
    expect(await receiver.send(BODY, signed(JSON.stringify(JSON.parse(BODY)), nowMs))).toBe(401);
    expect(await receiver.send(BODY, signed(BODY, nowMs, Buffer.alloc(32, 6)))).toBe(401);
    expect(await receiver.send(BODY, signed(BODY, nowMs - 400_000))).toBe(401);
    expect(receiver.lines()).toEqual([]);
    for (const again of [0, 1_000]) expect(await receiver.send(BODY, signed(BODY, nowMs + again))).toBe(204);
    expect(await receiver.send(BODY, signed(BODY, nowMs - 400_000))).toBe(401);
    expect(receiver.lines()).toEqual(['alert.triggered msg_1']);
    const wrong: unknown[] = [];
    for (const [request, body, headers] of oddRequests(nowMs)) {
      const status = await receiver.send(body, headers).catch((error: unknown) => error);
      if (status !== 204 && status !== 401) wrong.push([request, status]);
    }
    expect(wrong).toEqual([]);
    const { 'webhook-signature': right = '', ...others } = signed(BODY, nowMs);
    expect(await receiver.send(BODY, { ...others, 'webhook-signature': `v1,é ${right}` })).toBe(204);
  },
);
