import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, basename, dirname } from 'node:path';
import { type MarketState, type Params, ProblemError, TransportError } from '@market-state/client';
import { operationAt } from '@market-state/client/operations';
import { chmodSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { badInput, incomplete } from '../cli-error';
import { type Access, dataFolder, demoKeyFile } from '../client/access';
import type { Service } from '../client/open-service';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { createJudge, type Message, readSchemas, spaced, timeOfDay, type Verdict } from './judge';
import { misbehave, type ServeSettings } from './settings';

/** More than three times the maximum message size. */
const BODY_BYTES_MAX = 64 * 1_024;
/** Timeout for receiving a request. */
const REQUEST_MS_MAX = 10_000;

/** Returns the status, or `hang` to send no response. */
export type TakeDelivery = (body: Buffer, headers: IncomingHttpHeaders) => number | 'hang';

export interface ReceiverOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
}

export interface Receiver {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves https on localhost. Responds 405 to anything but POST, and 413 to a body over 64 KiB.
 * @throws CliError if the port is taken
 */
async function startReceiver({ port, certificate, key }: ReceiverOptions, take: TakeDelivery): Promise<Receiver> {
  const server = createServer({ cert: certificate, key, requestTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: REQUEST_MS_MAX / 2 });
  server.on('request', (request, response) => void answer(request, response, take).catch(() => response.destroy()));
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw badInput(`cannot listen on port ${port}: ${(error as Error).message}`);
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

/** Raw bytes, because the signature covers them and not a parsed body. Undefined if there are too many. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return sizeBytes > BODY_BYTES_MAX ? undefined : Buffer.concat(chunks);
}

/** Shell expression for the key, so that the key itself is never printed. */
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

export interface CommandParts {
  readonly url: string;
  readonly keyInShell: string;
  readonly port: number;
  /** File that receives the registration response. */
  readonly registrationFile: string;
  readonly symbol: string;
}

/** Top-five depth imbalance changes every few packets, even in the simulated market. */
const RULE = { kind: 'score_change', params: { score: 'visible_depth_imbalance_top5_abs', by: 0.005, packets: 1, direction: 'rise' } };
const AUTOMATION = '/api/public/market-state';

function firstCommands({ url, keyInShell, port, registrationFile, symbol }: CommandParts): readonly (readonly [string, string])[] {
  const curl = `curl -s -H "x-market-state-api-key: ${keyInShell}"`;
  const post = (path: string, body: object): string =>
    `${curl} -H 'content-type: application/json' -d '${JSON.stringify(body)}' ${url}${AUTOMATION}${path}`;
  return [
    [
      `Register this receiver. The response contains the signing secret and is saved to ${registrationFile}, which this program reads`,
      `${post('/webhooks', { url: `https://localhost:${port}/`, event_kinds: ['alert.triggered'] })} | tee ${registrationFile}`,
    ],
    [
      'Send a signed test message; a 2xx activates the endpoint',
      `${curl} -X POST "${url}${AUTOMATION}/webhooks/$(grep -o 'we_[0-9a-z]*' ${registrationFile} | head -1)/test"`,
    ],
    [`Trigger an alert on ${symbol} within a minute`, post('/alerts', { name: 'first alert', symbol, rule: RULE })],
  ];
}

/** The simulated market runs alongside every recording. */
const SIMULATED = 'SIMUSD-PERP';

const DETAIL_LENGTH = 200;

const answerShape = z.object({ webhook_id: z.string(), secret: z.string() });

interface Registration {
  readonly endpointId: string;
  readonly secret: string;
}

/** Response to the registration call, saved to a file that only its owner may read. */
interface RegistrationFile {
  readonly file: string;
  read(): Registration | undefined;
  /** Calls back for each new registration, or with the detail of a failed response. */
  follow(signal: AbortSignal, onChange: (found: Registration | string) => void): void;
}

function openRegistration(dataDir: string, port: number): RegistrationFile {
  const file = join(dataDir, 'listen', `${port}.json`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
  chmodSync(file, 0o600);
  const readText = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const read = (): Registration | undefined => registrationIn(readText());
  return {
    file,
    read,
    follow(signal, onChange) {
      let last = readText();
      watch(dirname(file), { signal }, (_event, name) => {
        if (name !== basename(file)) return;
        const text = readText();
        // The file is written in pieces, so wait for a complete JSON object.
        if (text === last || !isWhole(text)) return;
        last = text;
        onChange(registrationIn(text) ?? detailOf(text));
      });
    },
  };
}

/** Problem detail of a failed response, or its beginning. */
function detailOf(text: string): string {
  const { detail } = JSON.parse(text) as { readonly detail?: unknown };
  return typeof detail === 'string' ? detail : text.slice(0, DETAIL_LENGTH);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function registrationIn(text: string): Registration | undefined {
  if (!isWhole(text)) return undefined;
  const read = answerShape.safeParse(JSON.parse(text));
  return read.success ? { endpointId: read.data.webhook_id, secret: read.data.secret } : undefined;
}

export async function serve({ ms, access }: Service, settings: ServeSettings, io: CliIo): Promise<void> {
  const folder = dataFolder(io, settings.dataDir);
  const isJson = settings.format === 'json';
  const say = (...lines: readonly string[]): void => void (isJson ? io.stderr : io.stdout).write(lines.map((line) => `${line}\n`).join(''));
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
        spaced(at, String(headers['webhook-id'] ?? ''), failure === 'hang' ? 'no response sent (--fail)' : `responded ${failure} (--fail)`),
      );
      return failure;
    }
    const verdict = judge.judge(body, headers, registration.read()?.secret);
    if (isJson) io.stdout.write(`${JSON.stringify(verdict)}\n`);
    else say(...linesOf(at, verdict));
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
    say(`Listening on https://localhost:${settings.port}/. Press Ctrl-C to stop.`);
    const known = registration.read();
    if (known !== undefined) say(`${known.endpointId} is already registered and its secret is known; continue with step 2.`);
    say('');
    firstCommands(parts).forEach(([sentence, command], index) => say(`${index + 1}. ${sentence}:`, `  ${command}`));
    say('');
    registration.follow(io.signal, (found) =>
      say(
        typeof found === 'string'
          ? `Registration failed: ${found}`
          : `Registered as ${found.endpointId} and read its secret. Now test it (step 2).`,
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
      `No certificate for localhost in ${join(folder, 'demo-tls')}: npm start creates it unless NODE_ENV=production.`,
      'Production systems do not send to this machine; use --forward-to instead.',
    );
  }
}

async function symbolToWatch(ms: MarketState): Promise<string> {
  const { data } = await ms.latest.get({ symbol: 'ALL', view: 'compact' });
  const symbols = data.rows.map(({ symbol }) => symbol);
  return symbols.includes(SIMULATED) ? SIMULATED : (symbols[0] ?? SIMULATED);
}

function createOrder(): (work: () => Promise<void>) => void {
  let before = Promise.resolve();
  return (work) => {
    before = before.then(work).catch(() => undefined);
  };
}

function linesOf(at: string, verdict: Verdict): readonly string[] {
  if (verdict.kind === 'refused') return [spaced(at, 'rejected with 401:', verdict.reason)];
  if (verdict.kind === 'repeat') return [spaced(at, verdict.id, 'duplicate: dropped')];
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
      fault === undefined ? 'signature valid, body matches the schema' : 'signature valid',
    ),
    ...(condition === undefined ? [] : [`          ${conditionText(condition)}`]),
    ...(fault === undefined ? [] : [`          body does NOT match the schema: ${fault}`]),
  ];
}

/** Observed values and rule parameters, such as `score novelty_score, value 0.31, …`. */
function conditionText(condition: NonNullable<Message['data']['condition']>): string {
  return Object.entries(condition)
    .filter(([name, value]) => value !== null && name !== 'params')
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

interface Replay {
  readonly packets: readonly { readonly event_id: string }[];
  readonly window_start_utc: string;
  readonly window_end_utc: string;
  readonly lineage_verified: boolean;
  readonly next_cursor: string | null;
}

interface Rows {
  readonly completeness: { readonly rows_sent: number };
  readonly next_cursor: string | null;
}

/** One sentence: packets up to the message's own, and the rows it was made from. Undefined without routes. */
async function reopenWindow(ms: MarketState, { data: { routes, event_id: eventId } }: Message): Promise<string | undefined> {
  if (routes === undefined) return undefined;
  try {
    const [replay, rows] = [await replayOf(ms, routes.replay), await getRoute<Rows>(ms, routes.replay_window)];
    const last = replay.packets.at(-1);
    if (last === undefined) return `no packets in its window: ${routes.replay}`;
    const [from, to] = [replay.window_start_utc, replay.window_end_utc].map((utc) => timeOfDay(Date.parse(utc)));
    return [
      `window ${from} to ${to} reopened: ${counted(replay.packets.length, 'packet')}`,
      replay.lineage_verified ? 'chain intact' : 'chain BROKEN',
      last.event_id === eventId
        ? `the last one is ${eventId}`
        : `the last one is ${last.event_id}, NOT the one in the message (${eventId})`,
      `made from ${counted(rows.completeness.rows_sent, 'row')}${rows.next_cursor === null ? '' : ' and more'}`,
    ].join(', ');
  } catch (error) {
    if (error instanceof ProblemError || error instanceof TransportError) return `could not reopen its window: ${error.message}`;
    throw error;
  }
}

async function replayOf(ms: MarketState, route: string): Promise<Replay> {
  const pages = [await getRoute<Replay>(ms, route)];
  for (let next = pages[0]?.next_cursor ?? null; next !== null; next = pages.at(-1)?.next_cursor ?? null)
    pages.push(await getRoute<Replay>(ms, route, { cursor: next }));
  const [first] = pages as [Replay];
  return { ...first, packets: pages.flatMap(({ packets }) => packets), lineage_verified: pages.every((page) => page.lineage_verified) };
}

async function getRoute<T>(ms: MarketState, route: string, further: Readonly<Record<string, string>> = {}): Promise<T> {
  const found = operationAt('GET', route);
  if (found === null) throw new TransportError(`unknown route ${route}`, '', 0);
  const { data } = await ms.call(found.id as 'replayPackets', { ...found.params, ...further } as Params<'replayPackets'>);
  return data as T;
}
