import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCloser, type Closable } from '@market-state/lifecycle';
import { type Logger, createLogger } from '@market-state/logging';
import { type BookMessage, demoLoop, type MarketStep, Random, STEP_MS, type VenueScenario } from '@market-state/scenarios';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { type FaultCommand, readFaultCommand } from './faults/fault-command';
import { Misbehaviour, type OutText } from './faults/misbehaviour';
import { VenueMarket } from './venue-market';
import type { TradeRow, OutFrame, Stream } from './protocol/frames';
import { readInfoRequest, readRequest } from './protocol/requests';
import { answerHttp, namesLoopback, type Routes, answerInfo, urlOf } from './server/http';
import type { SimulatedVenueConfig } from './config';
import { answered, startStandIn } from './stand-ins/start-stand-in';

export async function startProcess(
  config: SimulatedVenueConfig,
): Promise<Closable & { readonly address: string; readonly opsPort: number }> {
  const logger = createLogger('simulated-venue', { level: config.LOG_LEVEL });
  const { registry } = createMetrics('simulated-venue');
  const closer = createCloser();
  try {
    const { SIMULATED_VENUE_ADDRESS: address, SIMULATED_SEED: seed, SIMULATED_SCENARIO: scenario, SIMULATED_PROTOCOL: protocol } = config;
    const options = { address, seed, scenario, logger };
    const venue = protocol === 'hyperliquid' ? await startSimulatedVenue(options) : await startStandIn({ ...options, protocol });
    closer.add('venue', () => venue.close());
    const ops = await startOpsServer({
      port: config.OPS_PORT,
      registry,
      ready: () => ({ ready: true, checks: { market: !('truth' in venue) || venue.truth() !== undefined } }),
    });
    closer.add('ops', () => ops.close());
    logger.info({ address: venue.address, ops_port: ops.port, seed, scenario, protocol }, 'simulated venue is ready');
    return { address: venue.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}

interface SimulatedVenueOptions {
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
  /** Integer 0..4,294,967,295. */
  readonly seed: number;
  readonly logger: Logger;
  /** Fixed clock, a multiple of 10,000, moved only by `advanceTo`. Default: the real clock. */
  readonly startMs?: number;
  /** Repeated scenario; default: the demonstration. */
  readonly scenario?: VenueScenario;
  /** Called with each step and its trade rows before anything is sent. */
  readonly onStep?: (step: MarketStep, trades: readonly TradeRow[]) => void;
}

export interface SimulatedVenue {
  readonly wsUrl: string;
  readonly restUrl: string;
  readonly address: string;
  readonly connections: number;
  readonly sentTotal: number;
  /** Current true book; undefined before the first step. */
  truth(): BookMessage | undefined;
  /** Injects a fault. @returns its end by the venue's clock */
  misbehave(command: FaultCommand): number;
  /** Only with `startMs`. */
  advanceTo(clockMs: number): void;
  flushed(): Promise<void>;
  close(): Promise<void>;
}

const START_EVERY_MS = 10_000;
/** Separates the random numbers of faults from the market's. */
const MISBEHAVIOUR_STREAM = 101;

const REQUEST_BYTES_MAX = 65_536;
const CONNECTIONS_MAX = 100;
/** Backlog limit of a slow client, beyond which it is disconnected. */
const WAITING_BYTES_MAX = 16 * 1_048_576;

interface ConnectionDeps {
  /** First frames of a subscription. */
  opening(stream: Stream): readonly OutFrame[];
  hasCoin(): boolean;
}

class Connections {
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: REQUEST_BYTES_MAX, perMessageDeflate: false });
  private readonly subscribed = new Map<WebSocket, Set<Stream>>();
  /** Frames sent so far, without opening frames and responses. */
  sentTotal = 0;

  constructor(private readonly venue: ConnectionDeps) {}

  get count(): number {
    return this.subscribed.size;
  }

  /** Handles an upgrade request; refuses it while disconnected or full. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, isAway: boolean): void {
    if (isAway || this.subscribed.size >= CONNECTIONS_MAX || urlOf(request)?.pathname !== '/ws') {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.server.handleUpgrade(request, socket, head, (client) => this.serve(client));
  }

  send(texts: readonly OutText[]): void {
    for (const [client, streams] of this.subscribed) {
      if (client.bufferedAmount > WAITING_BYTES_MAX) client.terminate();
      else for (const { stream, text } of texts) if (stream === 'everyone' || streams.has(stream)) this.hand(client, text);
    }
  }

  /** Terminates connections without a close frame. */
  endAll(): void {
    for (const client of this.subscribed.keys()) client.terminate();
  }

  /** Resolves once every client has read its frames: it answered a ping sent after them, or is gone. */
  async flushed(): Promise<void> {
    await Promise.all([...this.subscribed.keys()].map(answered));
  }

  private serve(client: WebSocket): void {
    const streams = new Set<Stream>();
    this.subscribed.set(client, streams);
    client.on('close', () => this.subscribed.delete(client));
    client.on('error', () => client.terminate());
    client.on('message', (data: Buffer) => this.answer(client, streams, data.toString('utf8')));
  }

  private answer(client: WebSocket, streams: Set<Stream>, text: string): void {
    const request = readRequest(text);
    switch (request.type) {
      case 'ping':
        return client.send('{"channel":"pong"}');
      case 'refused':
        return this.refuse(client, request.sentence);
      case 'subscribe': {
        if (!this.venue.hasCoin()) return this.refuse(client, `Invalid subscription ${JSON.stringify(request.echo)}`);
        if (streams.has(request.stream)) return this.refuse(client, `Already subscribed: ${JSON.stringify(request.echo)}`);
        streams.add(request.stream);
        this.acknowledge(client, 'subscribe', request.echo);
        for (const { frame } of this.venue.opening(request.stream)) client.send(JSON.stringify(frame));
        return;
      }
      case 'unsubscribe':
        if (!streams.delete(request.stream)) return this.refuse(client, `Already unsubscribed: ${JSON.stringify(request.echo)}`);
        return this.acknowledge(client, 'unsubscribe', request.echo);
    }
  }

  private acknowledge(client: WebSocket, method: string, subscription: unknown): void {
    client.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }));
  }

  private refuse(client: WebSocket, sentence: string): void {
    client.send(JSON.stringify({ channel: 'error', data: sentence }));
  }

  private hand(client: WebSocket, text: string): void {
    this.sentTotal++;
    client.send(text);
  }
}

/** Serves Hyperliquid's protocol on `/ws` and `/info`, and fault commands on `/control`. */
export async function startSimulatedVenue(options: SimulatedVenueOptions): Promise<SimulatedVenue> {
  const { address, seed, logger, startMs, scenario = 'demo', onStep } = options;
  const market = new VenueMarket(seed, startMs ?? Math.floor(Date.now() / START_EVERY_MS) * START_EVERY_MS, scenario);
  const misbehaviour = new Misbehaviour(new Random(seed, MISBEHAVIOUR_STREAM));
  const connections = new Connections({
    opening: (stream) => (misbehaviour.isSilent(stream) ? [] : market.opening(stream)),
    hasCoin: () => !misbehaviour.isDelisted(market.nextMs),
  });
  const episodes = scenario === 'demo' ? demoLoop.map(({ fromMs, name, description }) => ({ from_ms: fromMs, name, description })) : [];
  let isAway = false;

  function advanceTo(clockMs: number): void {
    while (market.nextMs + STEP_MS <= clockMs) {
      const { played, frames } = market.step();
      logEpisode(played.sinceBeginMs);
      onStep?.(
        played,
        played.happened.flatMap((message) => (message.kind === 'trade' ? [market.rowOf(message)] : [])),
      );
      isAway = played.isDisconnected || misbehaviour.isDisconnected(market.nextMs);
      if (isAway) connections.endAll();
      connections.send(misbehaviour.pass(frames, market.nextMs));
    }
  }

  function logEpisode(sinceBeginMs: number): void {
    const episode = episodes.find(({ from_ms: fromMs }) => fromMs === sinceBeginMs);
    if (episode !== undefined) logger.info({ episode: episode.name }, episode.description);
  }

  function misbehave(command: FaultCommand): number {
    const untilMs = misbehaviour.begin(command, market.nextMs);
    if (command.fault === 'disconnect') {
      isAway = true;
      connections.endAll();
    }
    logger.info({ ...command, untilMs }, 'fault injected');
    return untilMs;
  }

  const routes: Routes = {
    '/info': {
      answer(body) {
        const request = readInfoRequest(body);
        if (isAway) return { status: 503, body: null };
        return request === undefined
          ? { status: 422, body: 'Failed to deserialize the JSON body into the target type' }
          : { status: 200, body: answerInfo(market, request, !misbehaviour.isDelisted(market.nextMs)) };
      },
    },
    '/round': { answer: () => ({ status: 200, body: { scenario, began_ms: market.beganMs, now_ms: market.nextMs, episodes } }) },
    '/control': {
      needsJson: true,
      answer(body) {
        const read = readFaultCommand(body);
        return 'faults' in read
          ? { status: 422, body: read }
          : { status: 202, body: { ...read.command, until_ms: misbehave(read.command) } };
      },
    },
  };

  const server = createServer((request, response) => {
    answerHttp(routes, request, response).catch((error: unknown) => {
      logger.warn({ err: error }, 'request failed');
      response.destroy();
    });
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  server.on('upgrade', (request, socket, head) => {
    if (namesLoopback(request)) connections.accept(request, socket, head, isAway);
    else socket.destroy();
  });
  const [host, port] = splitAddress(address);
  server.listen(port, host);
  await once(server, 'listening');
  const timer = startMs === undefined ? setInterval(() => advanceTo(Date.now()), STEP_MS / 5) : undefined;
  advanceTo(startMs ?? Date.now());

  const listening = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    address: listening,
    wsUrl: `ws://${listening}/ws`,
    restUrl: `http://${listening}`,
    get connections() {
      return connections.count;
    },
    get sentTotal() {
      return connections.sentTotal;
    },
    truth: () => market.truth,
    misbehave,
    advanceTo,
    flushed: () => connections.flushed(),
    async close() {
      clearInterval(timer);
      connections.endAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function splitAddress(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}
