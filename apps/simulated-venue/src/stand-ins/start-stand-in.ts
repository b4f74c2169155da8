import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@market-state/logging';
import { type BookMessage, Random, STEP_MS, type VenueScenario } from '@market-state/scenarios';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { parseJson } from '../protocol/requests';
import { BODY_BYTES_MAX, bodyOf, namesLoopback, urlOf } from '../server/http';
import { bybitDialect } from './bybit';
import type { Dialect, ListingState, StreamText } from './dialect';
import { krakenDialect } from './kraken';
import { MarketTape, type TapeStep } from './market-tape';
import { okxDialect } from './okx';

export const STAND_IN_PROTOCOLS = ['bybit', 'bybit-inverse', 'okx', 'kraken'] as const;
export type StandInProtocol = (typeof STAND_IN_PROTOCOLS)[number];

const DURATION_MS_MAX = 600_000;
const durationMs = z.int().min(250).max(DURATION_MS_MAX);
const share = z.number().gt(0).max(1);

const command = z.discriminatedUnion('fault', [
  /** Sends only a part of the frames of a channel. */
  z.strictObject({ fault: z.literal('drop'), channel: z.enum(['book', 'trade', 'context', 'all']), share, duration_ms: durationMs }),
  z.strictObject({ fault: z.literal('duplicate'), share, duration_ms: durationMs }),
  /** Shuffles frames within runs of `span`. */
  z.strictObject({ fault: z.literal('reorder'), span: z.int().min(2).max(50), duration_ms: durationMs }),
  /** Closes connections and refuses new ones and requests. */
  z.strictObject({ fault: z.literal('disconnect'), duration_ms: durationMs }),
  /** Leaves the metadata: no frames, subscriptions are refused. */
  z.strictObject({ fault: z.literal('delisted'), duration_ms: durationMs }),
  /** Another tick in the metadata from now on. */
  z.strictObject({ fault: z.literal('tick_size'), tick_size: z.string().regex(/^0\.[0-9]{0,9}[1-9]$|^[1-9][0-9]{0,3}$/) }),
  /** The second perpetual, which has no data, is traded from now on according to the metadata. */
  z.strictObject({ fault: z.literal('listed') }),
  /** The book's numbers start again, as after the venue's maintenance; the frame that shows it can be lost. */
  z.strictObject({ fault: z.literal('restart'), is_lost: z.boolean().optional() }),
]);

export type StandInFault = z.output<typeof command>;
type Lasting = Exclude<StandInFault, { fault: 'tick_size' | 'restart' | 'listed' }>;

interface StandInOptions {
  readonly protocol: StandInProtocol;
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
  readonly seed: number;
  readonly logger: Logger;
  /** Fixed clock, a multiple of 10,000, moved only by `advanceTo`. Default: the real clock. */
  readonly startMs?: number;
  readonly scenario?: VenueScenario;
  /** Called with each step and the book after it, before anything is sent. */
  readonly onStep?: (step: TapeStep, book: BookMessage | undefined) => void;
}

export interface StandIn {
  readonly address: string;
  readonly restUrl: string;
  readonly venue: string;
  readonly instrument: string;
  readonly connections: number;
  readonly sentTotal: number;
  misbehave(fault: StandInFault): void;
  /** Only with `startMs`. */
  advanceTo(clockMs: number): void;
  /** Resolves when every client has read what was sent. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

const START_EVERY_MS = 10_000;
const FAULT_STREAM = 211;

/**
 * Serves the simulated market in another venue's protocol on loopback, with faults by `POST /control`. The instrument is
 * always the simulated coin, so that none of it is taken for the venue's own.
 */
export async function startStandIn(options: StandInOptions): Promise<StandIn> {
  const { protocol, address, seed, logger, startMs, scenario = 'calm', onStep } = options;
  const tape = new MarketTape(seed, startMs ?? Math.floor(Date.now() / START_EVERY_MS) * START_EVERY_MS, scenario);
  const dialect = dialectOf(protocol, tape);
  const faults = new StandInFaults(new Random(seed, FAULT_STREAM));
  const clients = new Map<WebSocket, Set<string>>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: BODY_BYTES_MAX, perMessageDeflate: false });
  let sentTotal = 0;
  let tickSize = '0.1';
  let hasSecond = false;

  const listing = (): ListingState => ({ isListed: !faults.has('delisted', tape.nextMs), hasSecond, tickSize });
  const isAway = (): boolean => faults.has('disconnect', tape.nextMs);

  function send(texts: readonly StreamText[]): void {
    for (const [client, streams] of clients)
      for (const { stream, text } of texts) {
        if (!streams.has(stream)) continue;
        sentTotal++;
        client.send(text);
      }
  }

  function advanceTo(clockMs: number): void {
    while (tape.nextMs + STEP_MS <= clockMs) {
      const step = tape.step();
      onStep?.(step, tape.book);
      const texts = dialect.texts(step);
      if (isAway()) for (const client of clients.keys()) client.terminate();
      send(faults.pass(listing().isListed ? texts : [], tape.nextMs));
    }
  }

  function misbehave(fault: StandInFault): void {
    if (fault.fault === 'tick_size') ({ tick_size: tickSize } = fault);
    else if (fault.fault === 'listed') hasSecond = true;
    else if (fault.fault === 'restart') {
      const texts = dialect.restart();
      if (fault.is_lost !== true) send(texts);
    } else faults.begin(fault, tape.nextMs);
    if (fault.fault === 'disconnect') for (const client of clients.keys()) client.terminate();
    logger.info(fault, 'fault injected');
  }

  function serve(client: WebSocket): void {
    const streams = new Set<string>();
    clients.set(client, streams);
    client.on('close', () => clients.delete(client));
    client.on('error', () => client.terminate());
    client.on('message', (data: Buffer) => {
      const { replies, begin = [], end = [] } = dialect.reply(data.toString('utf8'), listing());
      for (const text of replies) client.send(text);
      for (const stream of end) streams.delete(stream);
      for (const stream of begin) {
        streams.add(stream);
        for (const text of dialect.opening(stream)) client.send(text);
      }
    });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      logger.warn({ err: error }, 'request failed');
      response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    if (!namesLoopback(request)) return reply(response, 421, { error: 'Host must be a loopback name' });
    if (url?.pathname === '/control') return control(request, response);
    if (isAway()) return reply(response, 503, { error: 'away' });
    const body = url === null ? undefined : dialect.answer(url, listing());
    return body === undefined ? reply(response, 404, { error: 'unknown route' }) : reply(response, 200, body);
  }

  async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json')
      return reply(response, 415, { error: 'POST a fault with Content-Type application/json' });
    const read = command.safeParse(parseJson((await bodyOf(request)) ?? ''));
    if (!read.success)
      return reply(response, 422, { faults: read.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message })) });
    misbehave(read.data);
    return reply(response, 202, read.data);
  }

  server.on('upgrade', (request, socket, head) => {
    const path = urlOf(request)?.pathname ?? '';
    if (!namesLoopback(request) || isAway() || !dialect.socketPaths.includes(path)) socket.destroy();
    else sockets.handleUpgrade(request, socket, head, serve);
  });
  const colon = address.lastIndexOf(':');
  server.listen(Number(address.slice(colon + 1)), address.slice(0, colon).replace(/^\[|\]$/g, ''));
  await once(server, 'listening');
  const timer = startMs === undefined ? setInterval(() => advanceTo(Date.now()), STEP_MS / 5) : undefined;
  advanceTo(startMs ?? Date.now());
  const listening = `${address.slice(0, colon)}:${(server.address() as AddressInfo).port}`;

  return {
    address: listening,
    restUrl: `http://${listening}`,
    venue: dialect.venue,
    instrument: dialect.instrument,
    get connections() {
      return clients.size;
    },
    get sentTotal() {
      return sentTotal;
    },
    misbehave,
    advanceTo,
    flushed: async () => void (await Promise.all([...clients.keys()].map(answered))),
    async close() {
      clearInterval(timer);
      for (const client of clients.keys()) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function dialectOf(protocol: StandInProtocol, tape: MarketTape): Dialect {
  switch (protocol) {
    case 'bybit':
      return bybitDialect({ tape, isInverse: false });
    case 'bybit-inverse':
      return bybitDialect({ tape, isInverse: true });
    case 'okx':
      return okxDialect(tape);
    case 'kraken':
      return krakenDialect(tape);
  }
}

/** Applies the active faults in this order: drop, duplicate, reorder. */
class StandInFaults {
  private active: { readonly fault: Lasting; readonly untilMs: number }[] = [];
  private run: StreamText[] = [];

  constructor(private readonly random: Random) {}

  begin(fault: Lasting, nowMs: number): void {
    this.active.push({ fault, untilMs: nowMs + fault.duration_ms });
  }

  has(name: Lasting['fault'], nowMs: number): boolean {
    return this.active.some(({ fault, untilMs }) => fault.fault === name && nowMs < untilMs);
  }

  pass(texts: readonly StreamText[], nowMs: number): readonly StreamText[] {
    this.active = this.active.filter(({ untilMs }) => nowMs < untilMs);
    const left = texts.flatMap((text) => (this.isDropped(text) ? [] : this.isDoubled() ? [text, text] : [text]));
    const span = this.active.map(({ fault }) => (fault.fault === 'reorder' ? fault.span : 0)).reduce((a, b) => Math.max(a, b), 0);
    if (span === 0) return [...this.shuffled(), ...left];
    const out: StreamText[] = [];
    for (const text of left) {
      this.run.push(text);
      if (this.run.length >= span) out.push(...this.shuffled());
    }
    return out;
  }

  private isDropped({ channel }: StreamText): boolean {
    return this.active.some(
      ({ fault }) => fault.fault === 'drop' && (fault.channel === 'all' || fault.channel === channel) && this.random.chance(fault.share),
    );
  }

  private isDoubled(): boolean {
    return this.active.some(({ fault }) => fault.fault === 'duplicate' && this.random.chance(fault.share));
  }

  private shuffled(): StreamText[] {
    const left = this.run.splice(0);
    const out: StreamText[] = [];
    while (left.length > 0) out.push(...left.splice(this.random.integer(0, left.length - 1), 1));
    return out;
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Resolves once the client answers a ping sent after its frames, or is gone. */
export function answered(client: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (client.readyState !== client.OPEN) return resolve();
    const done = (): void => {
      client.off('pong', done);
      client.off('close', done);
      resolve();
    };
    client.on('pong', done);
    client.on('close', done);
    client.ping();
  });
}
