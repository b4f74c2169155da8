import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Schemas } from '@market-state/client';
import { Counter, Gauge, Registry } from 'prom-client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, numberOption, type Options, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { runCall, type Session } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { writeResult } from '../output/settings';
import { codeOfEnd, createConnectionReporter } from '../streams/ends';

/** Several days of a few symbols: three symbols spend about 11 credits an hour. */
const CREDITS = 10_000;
const PORT = 9_464;
const PORT_MAX = 65_535;
const SYMBOLS_MAX = 20;

interface ExporterSettings extends ClientSettings {
  readonly symbols: readonly string[];
  readonly host: string;
  readonly port: number;
}

function readExporterSettings(symbols: readonly string[], options: Options, fault: Fault): ExporterSettings {
  if (symbols.length > SYMBOLS_MAX) fault(`at most ${SYMBOLS_MAX} symbols`);
  for (const symbol of symbols) checkSymbol(symbol, fault);
  return {
    ...readClientSettings(options, fault),
    symbols: symbols.length === 0 ? ['ALL'] : symbols,
    host: textOption(options, 'host') ?? '127.0.0.1',
    port: numberOption(options, 'port', { min: 0, max: PORT_MAX, integer: true }, fault) ?? PORT,
  };
}

function exportMetrics(settings: ExporterSettings, io: CliIo): Promise<ExitCode> {
  const params = { symbol: settings.symbols.join(','), view: 'compact' };
  return runCall(io, settings, { operation: 'streamPackets', params }, async (session) => {
    const metrics = createSymbolMetrics();
    const server = await serve(metrics, settings);
    try {
      const { port } = server.address() as AddressInfo;
      const url = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}/metrics`;
      writeResult(io, settings.format, { metrics: url }, [url]);
      return await follow(session, metrics, settings.symbols, io.signal);
    } catch (error) {
      if (io.signal.aborted) return EXIT.interrupted;
      throw error;
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
}

/** @throws CliError (bad input) if the port cannot be used */
async function serve({ registry }: SymbolMetrics, { host, port }: ExporterSettings): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void registry.metrics().then((text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text));
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, host, done)).catch((error: NodeJS.ErrnoException) => {
    throw badInput(`cannot serve on ${host}:${port} (${error.code ?? error.message})`);
  });
  return server;
}

/** Runs until the stream ends; reconnects a lost connection. */
async function follow(session: Session, metrics: SymbolMetrics, symbols: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  const { ms, say } = session;
  const report = createConnectionReporter(session);
  const stream = ms.stream.packets(
    { symbols, view: 'compact' },
    {
      signal,
      maxCredits: Math.max(1, ms.budgetLeft ?? 1),
      onConnection(status) {
        metrics.connected(status.state === 'open');
        report(status);
      },
    },
  );
  for await (const message of stream) {
    metrics.creditsLeft(ms.budgetLeft ?? 0);
    if (message.type === 'packet') metrics.observe(message.data as Schemas['CompactPacket']);
    else if (message.type === 'skipped') metrics.skipped(message.symbol, message.data.row_total);
    else if (message.type === 'end') {
      say(`the service ended the stream: ${message.code}`);
      return codeOfEnd(message.code);
    }
  }
  return EXIT.done;
}

export function exporterCommand(): CliCommand {
  return withClientOptions(new CliCommand('exporter'), CREDITS)
    .summary('serve states and scores of each symbol as Prometheus metrics')
    .description(
      'Follows the packets of all or the named symbols and serves the newest of each at /metrics, until Ctrl-C or the credit limit. ' +
        'Reconnects after interruptions. 100 packets cost one credit. Prints the address to stdout.',
    )
    .argument('[symbols...]', 'up to 20 symbols (default: all)')
    .option('--port <n>', 'port to serve on; 0 for any', String(PORT))
    .option('--host <address>', 'address to serve on', '127.0.0.1')
    .addHelpText('after', '\nExample:\n  $ market-state exporter --port 9464\n  $ curl http://127.0.0.1:9464/metrics\n')
    .runs<ExporterSettings>(readExporterSettings, exportMetrics);
}

type Packet = Schemas['CompactPacket'];
type Composite = keyof Packet['composites'];

const COMPOSITES: readonly Composite[] = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'];

interface SymbolMetrics {
  readonly registry: Registry;
  /** Shows a packet as the newest of its symbol. */
  observe(packet: Packet): void;
  connected(isOpen: boolean): void;
  /** Packets that this reader was too slow for. */
  skipped(symbol: string, total: number): void;
  creditsLeft(credits: number): void;
}

/** Series whose label is a value of the packet. */
type LabelledGauge = readonly [Gauge<string>, Readonly<Record<string, string>>];

/** A value that a packet does not report has no series, never 0. */
function createSymbolMetrics(): SymbolMetrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> =>
    new Gauge({ name: `market_state_${name}`, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
    new Counter({ name: `market_state_${name}`, help, labelNames, registers });

  const state = gauge('state', '1 for the published state of a symbol; other states have no series.', ['symbol', 'state']);
  const response = gauge('response_state', '1 for the response state of a symbol, such as live_current.', ['symbol', 'response_state']);
  const quality = gauge('quality_class', '1 for the quality class of a symbol.', ['symbol', 'quality_class']);
  const age = gauge('state_age_packets', 'Consecutive packets in the published state.', ['symbol']);
  const margin = gauge('state_margin_ratio', 'Score of the winning state minus that of the runner-up, 0 to 1.', ['symbol']);
  const severity = gauge('severity_score_ratio', 'Severity score, 0 to 1.', ['symbol']);
  const confidence = gauge('confidence_score_ratio', 'Confidence score, 0 to 1.', ['symbol']);
  const composite = gauge('composite_score_ratio', 'Composite score, 0 to 1.', ['symbol', 'composite']);
  const mid = gauge('mid_price', 'Mean of best bid and best ask at the window end, in quote currency.', ['symbol']);
  const gaps = gauge('gap_flags', 'Gap flags of the newest packet.', ['symbol']);
  const windowEnd = gauge('window_end_timestamp_seconds', 'Window end of the newest packet, seconds since the epoch.', ['symbol']);
  const packets = counter('packets_total', 'Packets received.', ['symbol']);
  const skippedPackets = counter('skipped_packets_total', 'Packets that the service skipped because this reader was too slow.', ['symbol']);
  const connection = gauge('stream_connected', '1 while the stream is open.', []);
  const credits = gauge('credits_left', 'Credits left of --max-credits.', []);
  const states = new Map<string, readonly LabelledGauge[]>();
  connection.set(0);

  return {
    registry,
    observe(packet) {
      const { symbol } = packet;
      const labels = { symbol };
      for (const [metric, had] of states.get(symbol) ?? []) metric.remove(had);
      const current: readonly LabelledGauge[] = [
        [state, { symbol, state: packet.state }],
        [response, { symbol, response_state: packet.response_state }],
        [quality, { symbol, quality_class: packet.quality_class }],
      ];
      for (const [metric, has] of current) metric.set(has, 1);
      states.set(symbol, current);
      age.set(labels, packet.state_age_packets);
      margin.set(labels, packet.state_margin);
      severity.set(labels, packet.severity.score);
      confidence.set(labels, packet.confidence.score);
      gaps.set(labels, packet.gap_flags.length);
      windowEnd.set(labels, Date.parse(packet.window_end_utc) / 1_000);
      setReported(mid, labels, packet.mid_price);
      for (const name of COMPOSITES) setReported(composite, { symbol, composite: name }, packet.composites[name].score);
      packets.inc(labels);
    },
    connected: (isOpen) => connection.set(isOpen ? 1 : 0),
    skipped: (symbol, total) => skippedPackets.inc({ symbol }, total),
    creditsLeft: (left) => credits.set(left),
  };
}

function setReported<L extends string>(metric: Gauge<L>, labels: Record<L, string>, value: number | null): void {
  if (value === null) metric.remove(labels);
  else metric.set(labels, value);
}
