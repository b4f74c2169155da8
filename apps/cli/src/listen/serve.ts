import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { MarketState } from '@market-state/client';
import { incomplete, badInput } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import type { Service } from '../client/open-service';
import { dataFolder, type Access, demoKeyFile } from '../client/access';
import { createJudge, type Verdict, readSchemas, type Message, spaced, timeOfDay } from './judge';
import { misbehave, type ServeSettings } from './settings';
import { openRegistration } from './registration';
import { reopenWindow } from './window';

/** Over three times what a message may have. */
const BODY_BYTES_MAX = 64 * 1_024;
/** Time for a request to arrive whole. */
const REQUEST_MS_MAX = 10_000;

/** Decides on a delivery, with its exact bytes: the status to answer, or `hang` for no answer. */
export type TakeDelivery = (body: Buffer, headers: IncomingHttpHeaders) => number | 'hang';

export interface ReceiverOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

export interface Receiver {
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Serves https on this machine alone. What is no POST is 405, a body over 64 KiB 413.
 * @throws CliError when the port is taken
 */
async function startReceiver({ port, certificate, key }: ReceiverOptions, take: TakeDelivery): Promise<Receiver> {
  const server = createServer({ cert: certificate, key, requestTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: REQUEST_MS_MAX / 2 });
  server.on('request', (request, response) => void answer(request, response, take).catch(() => response.destroy()));
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw badInput(`port ${port} cannot be used: ${(error as Error).message}`);
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, take: TakeDelivery): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
  const body = await bodyOf(request);
  const status = body === undefined ? 413 : take(body, request.headers);
  if (status !== 'hang') response.writeHead(status).end();
}

/** The bytes as they came: a signature is over these, and not over what a parser makes of them. Undefined when there are too many. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return sizeBytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks);
}

/** What a shell writes in the place of the key; the key itself is shown nowhere. */
function keyInShell(io: CliIo, { keySource }: Access, folder: string): string {
  switch (keySource) {
    case 'environment':
      return '$MARKET_STATE_API_KEY';
    case 'profile':
      return `$(grep -o 'msk_[0-9A-Za-z_]*' ${io.profileFile})`;
    case 'demo':
    case 'none':
      return `$(cat ${demoKeyFile(folder)})`;
  }
}

/** What the printed commands are made of. */
export interface CommandParts {
  /** Base address of the public API. */
  readonly url: string;
  /** What a shell writes in the place of the key. */
  readonly keyInShell: string;
  readonly port: number;
  /** Where the answer to the registration goes. */
  readonly registrationFile: string;
  /** Symbol that the alert watches. */
  readonly symbol: string;
}

/** How far apart bid and ask depth are within the best five levels: it rises and falls every few packets, in the simulated market too. */
const RULE = { kind: 'score_change', params: { score: 'visible_depth_imbalance_top5_abs', by: 0.005, packets: 1, direction: 'rise' } };
const AUTOMATION = '/api/public/market-state';

/** Three steps, each with a sentence and its command: register this receiver, test it, make an alert fire. */
function firstCommands({ url, keyInShell, port, registrationFile, symbol }: CommandParts): readonly (readonly [string, string])[] {
  const curl = `curl -s -H "x-market-state-api-key: ${keyInShell}"`;
  const post = (path: string, body: object): string =>
    `${curl} -H 'content-type: application/json' -d '${JSON.stringify(body)}' ${url}${AUTOMATION}${path}`;
  return [
    [
      `Register this receiver. The answer has the secret that signs; it goes to ${registrationFile}, which this program reads`,
      `${post('/webhooks', { url: `https://localhost:${port}/`, event_kinds: ['alert.triggered'] })} | tee ${registrationFile}`,
    ],
    [
      'Test it: a signed message, and a 2xx makes the endpoint live',
      `${curl} -X POST "${url}${AUTOMATION}/webhooks/$(grep -o 'we_[0-9a-z]*' ${registrationFile} | head -1)/test"`,
    ],
    [`Make an alert fire on ${symbol}, within a minute`, post('/alerts', { name: 'first alert', symbol, rule: RULE })],
  ];
}

/** A market that runs beside every recording. */
const SIMULATED = 'SIMUSD-PERP';

/** Receives messages by https until the user ends it, and shows what each of them is worth. */
export async function serve({ ms, access }: Service, settings: ServeSettings, io: CliIo): Promise<void> {
  const folder = dataFolder(io, settings.dataDir);
  const say = (...lines: readonly string[]): void => void io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const certificates = await readCertificates(folder);
  const judge = createJudge(await readSchemas(ms), Date.now);
  const registration = openRegistration(folder, settings.port);
  const symbol = await symbolToWatch(ms);
  const inOrder = createOrder();

  const receiver = await startReceiver({ port: settings.port, ...certificates }, (body, headers) => {
    const at = timeOfDay(Date.now());
    const failure = misbehave(settings.misbehaviour, Math.random());
    if (failure !== undefined) {
      say(
        spaced(
          at,
          String(headers['webhook-id'] ?? ''),
          failure === 'hang' ? 'left without an answer (--fail)' : `answered ${failure} (--fail)`,
        ),
      );
      return failure;
    }
    const verdict = judge.judge(body, headers, registration.read()?.secret);
    say(...linesOf(at, verdict));
    if (verdict.kind === 'message' && verdict.message.type === 'alert.triggered') {
      const { message } = verdict;
      inOrder(async () => {
        const sentence = await reopenWindow(ms, message);
        if (sentence !== undefined) say(`          ${sentence}`);
      });
    }
    return verdict.kind === 'refused' ? 401 : 200;
  });

  try {
    const parts = {
      url: access.url,
      keyInShell: keyInShell(io, access, folder),
      registrationFile: registration.file,
      symbol,
      port: settings.port,
    };
    say(`Receiving on https://localhost:${settings.port}/. Ctrl-C ends it.`);
    const known = registration.read();
    if (known !== undefined) say(`${known.endpointId} was registered before, and its secret is known: go on with 2.`);
    say('');
    firstCommands(parts).forEach(([sentence, command], index) => say(`${index + 1}. ${sentence}:`, `  ${command}`));
    say('');
    registration.follow(io.signal, (found) =>
      say(
        typeof found === 'string'
          ? `It was not registered: ${found}`
          : `Registered as ${found.endpointId}; its secret is known. Now test it (2).`,
      ),
    );
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await receiver.close();
  }
}

async function readCertificates(folder: string): Promise<{ readonly certificate: string; readonly key: string }> {
  try {
    const [certificate, key] = await Promise.all(
      ['crt', 'key'].map((end) => readFile(join(folder, 'demo-tls', `localhost.${end}`), 'utf8')),
    );
    return { certificate: certificate ?? '', key: key ?? '' };
  } catch {
    throw incomplete(
      `There is no certificate for localhost in ${join(folder, 'demo-tls')}: npm start makes it, except with NODE_ENV=production.`,
      'Such a system does not send to this machine; --forward-to works with any.',
    );
  }
}

async function symbolToWatch(ms: MarketState): Promise<string> {
  const { data } = await ms.latest.get({ symbol: 'ALL', view: 'compact' });
  const symbols = data.rows.map(({ symbol }) => symbol);
  return symbols.includes(SIMULATED) ? SIMULATED : (symbols[0] ?? SIMULATED);
}

/** Runs one piece of work after the other. */
function createOrder(): (work: () => Promise<void>) => void {
  let before = Promise.resolve();
  return (work) => {
    before = before.then(work).catch(() => undefined);
  };
}

function linesOf(at: string, verdict: Verdict): readonly string[] {
  if (verdict.kind === 'refused') return [spaced(at, 'refused with 401:', verdict.reason)];
  if (verdict.kind === 'repeat') return [spaced(at, verdict.id, 'came before: dropped')];
  const { message, id, fault } = verdict;
  const { symbol, phase, condition, late, synthetic } = message.data;
  const marks = [late === true ? 'late' : '', synthetic === true ? 'synthetic' : ''].filter((mark) => mark !== '').join(', ');
  return [
    spaced(
      at,
      message.type,
      id,
      symbol,
      phase,
      marks,
      fault === undefined ? 'signature verified, body as described' : 'signature verified',
    ),
    ...(condition === undefined ? [] : [`          ${conditionText(condition)}`]),
    ...(fault === undefined ? [] : [`          its body is NOT as described: ${fault}`]),
  ];
}

/** What the rule found, and what it was held against: `score novelty_score, value 0.31, …`; the parameters of the rule are among it. */
function conditionText(condition: NonNullable<Message['data']['condition']>): string {
  return Object.entries(condition)
    .filter(([name, value]) => value !== null && name !== 'params')
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
