import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { Webhook } from 'standardwebhooks';
import { runCli } from '../src/program';
import { createWorkplace } from './run';
import { alertMessage, type SentMessage, startWebhookApi, type WebhookApi, writeSystemFolder } from './webhook-api';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const place = createWorkplace();
const dataDir = join(place.folder, '.data');
let api: WebhookApi;
let authority: string;
beforeAll(async () => {
  api = await startWebhookApi();
  ({ authority } = await writeSystemFolder(dataDir, api.url));
});
afterAll(() => {
  api.close();
  place.remove();
});

/** A listener that runs: what it prints, line by line. */
interface Listener {
  /** The first line that has this text, once it is there. */
  line(text: string): Promise<string>;
  text(): string;
  /** Ends it as Ctrl-C does. */
  end(): Promise<number>;
}

function listen(...args: readonly string[]): Listener {
  const stop = new AbortController();
  const waiting = new Set<() => void>();
  let text = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8');
      for (const look of waiting) look();
      done();
    },
  });
  const io = {
    stdin: new PassThrough(),
    profileFile: join(place.folder, 'profile.json'),
    stdout,
    stderr: stdout,
    cwd: place.folder,
    signal: stop.signal,
    dataDir,
  };
  const ended = runCli(['listen', ...args], io);
  return {
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = text.split('\n').find((line) => line.includes(wanted));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        setTimeout(() => reject(new Error(`no line with "${wanted}" within 30 s:\n${text}`)), 30_000).unref();
        void ended.then((code) => reject(new Error(`ended with ${code} without "${wanted}":\n${text}`)));
        look();
      }),
    text: () => text,
    async end() {
      stop.abort();
      return ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Posts a message as the service does; gives the status. */
async function deliver(port: number, message: SentMessage, secret: string, body = JSON.stringify(message)): Promise<number> {
  const sentAt = new Date();
  const headers = {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(message.id, sentAt, JSON.stringify(message)),
  };
  const sent = request(`https://localhost:${port}/`, { method: 'POST', headers, ca: authority, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

test('a receiver verifies what it is sent, drops repeats, names a wrong body and reopens the window of an alert', async () => {
  const port = await freePort();
  const listener = listen('--serve', String(port));
  const registering = await listener.line('event_kinds');
  const file = join(dataDir, 'listen', `${port}.json`);
  expect(registering).toContain(`| tee ${file}`);
  expect(registering).toContain(`$(cat ${join(dataDir, 'demo-key')})`);
  expect(await listener.line('score_change')).toContain('"symbol":"SIMUSD-PERP"');
  expect(statSync(file).mode & 0o777).toBe(0o600);

  expect(await deliver(port, alertMessage('msg_0'), SECRET)).toBe(401);
  await listener.line('this endpoint is not registered yet');
  writeFileSync(file, JSON.stringify({ status: 409, detail: 'The plan allows no more.' }));
  await listener.line('Registration failed: The plan allows no more.');
  writeFileSync(file, JSON.stringify({ webhook_id: 'we_1', secret: SECRET }));
  await listener.line('Registered as we_1');
  expect(listener.text()).not.toContain(SECRET);

  expect(await deliver(port, alertMessage('msg_1'), SECRET)).toBe(200);
  expect(await listener.line('msg_1')).toMatch(
    /alert\.triggered {2}msg_1 {2}SIMUSD-PERP {2}triggered {2}synthetic {2}signature valid, body matches the schema$/,
  );
  await listener.line('score novelty_score, change 0.03');
  expect(await listener.line('reopened')).toContain(
    'window 02:39:10 to 02:40:10 reopened: 1 packet, chain intact, the last one is evt_1, made from 142 rows',
  );
  expect(await deliver(port, alertMessage('msg_1'), SECRET)).toBe(200);
  await listener.line('msg_1  duplicate: dropped');

  expect(await deliver(port, alertMessage('msg_2'), SECRET.replace('BwcH', 'BwcI'))).toBe(401);
  expect(await deliver(port, alertMessage('msg_2'), SECRET, `${JSON.stringify(alertMessage('msg_2'))} `)).toBe(401);
  expect(await deliver(port, { ...alertMessage('msg_3'), data: {} }, SECRET)).toBe(200);
  await listener.line("body does NOT match the schema: body/data must have required property 'phase'");
  expect(await deliver(port, { ...alertMessage('msg_4'), type: 'unheard.of' }, SECRET)).toBe(200);
  await listener.line('the service does not document the kind unheard.of');
  expect(await listener.end()).toBe(0);
});

test('a receiver that fails on purpose does so without a look at the message, and takes it when it comes again', async () => {
  const port = await freePort();
  const failing = listen('--serve', String(port), '--fail', '500:100%');
  await failing.line('score_change');
  writeFileSync(join(dataDir, 'listen', `${port}.json`), JSON.stringify({ webhook_id: 'we_1', secret: SECRET }));
  expect(await deliver(port, alertMessage('msg_1'), SECRET)).toBe(500);
  await failing.line('responded 500 (--fail)');
  await failing.end();

  const listener = listen('--serve', String(port));
  await listener.line('we_1 is already registered');
  expect(await deliver(port, alertMessage('msg_1'), SECRET)).toBe(200);
  await listener.end();
});

test('messages are forwarded once each, signed with the printed secret; a server that is away gets its message when it is back', async () => {
  api.add(alertMessage('msg_old'));
  const port = await freePort();
  const listener = listen('--forward-to', `http://127.0.0.1:${port}/hook`);
  const [secret = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(await listener.line('signed with')) ?? [];
  api.add(alertMessage('msg_1'));
  await listener.line('msg_1  no response');

  const got: { readonly id: string; readonly verified: () => unknown }[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const headers = incoming.headers as Record<string, string>;
      got.push({ id: headers['webhook-id'] ?? '', verified: () => new Webhook(secret).verify(Buffer.concat(chunks), headers) });
      response.writeHead(got.length === 1 ? 204 : 503).end();
    });
  }).listen(port, '127.0.0.1');
  await listener.line('msg_1  SIMUSD-PERP  triggered  responded 204');
  api.add(alertMessage('msg_2'));
  await listener.line('msg_2  SIMUSD-PERP  triggered  responded 503');
  await listener.end();
  server.close();
  server.closeAllConnections();
  expect(got.map(({ id }) => id)).toEqual(['msg_1', 'msg_2']);
  expect(got.map(({ verified }) => verified())).toEqual([alertMessage('msg_1'), alertMessage('msg_2')]);
});

test.each([
  [[], 'use either --forward-to or --serve'],
  [['--serve', '8443', '--forward-to', 'http://a/'], 'use either --forward-to or --serve'],
  [['--serve', '8443', '--fail', '200:5%'], '--fail must look like 500:30%,hang:10%, not "200:5%"'],
  [['--serve', '8443', '--fail', '500:60%,hang:41%'], '--fail adds up to 101 %; the maximum is 100 %'],
  [['--forward-to', 'ftp://a/'], '--forward-to must look like http://127.0.0.1:3000/hook, not "ftp://a/"'],
  [['--forward-to', 'http://a/', '--kinds', 'alert'], '--kinds must look like alert.triggered,export.finished, not "alert"'],
])('%j is refused', async (args, sentence) => {
  const { exitCode, stderr } = await place.run('listen', ...args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
