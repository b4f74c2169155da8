import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Schemas } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, numberOption, type Options, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { dryRun, runClient, type Session } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import { createSymbolMetrics, type SymbolMetrics } from '../exporter/symbol-metrics';
import type { CliIo } from '../io/cli-io';
import { writeResult } from '../output/result';
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
  return runClient(io, settings, async (session) => {
    const params = { symbol: settings.symbols.join(','), view: 'compact' };
    if (settings.isDryRun) return dryRun(session, { operation: 'streamPackets', params }, settings, io);
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

export function exporterCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
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
    .runs<ExporterSettings>(readExporterSettings, (settings) => exportMetrics(settings, io), onExitCode);
}
