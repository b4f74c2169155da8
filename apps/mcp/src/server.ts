import { CALLERS } from '@market-state/contracts';
import { createHealth, openIdentity, startGrpcServer, WHOLE_PROCESS } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { createLogger, type Logger } from '@market-state/logging';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import type { McpConfig } from './config';
import { createHttpAnswers } from './protocol/http-answers';
import { bindMcpService } from './rpc/service';

/** A running MCP server. */
export interface McpProcess {
  /** `host:port` of its RPCs. */
  readonly address: string;
  readonly opsPort: number;
  close(): Promise<void>;
}

/** Starts the process that answers agents over HTTP, whose messages the gateway hands on. */
export async function startMcp(config: McpConfig, overrides: { readonly logger?: Logger } = {}): Promise<McpProcess> {
  const logger = overrides.logger ?? createLogger('mcp', { level: config.logLevel });
  const health = createHealth();
  const metrics = createMetrics('mcp');
  const closer = createCloser();
  try {
    const identity = openIdentity('mcp', config.rpc, { logger, metrics });
    closer.add('identity', async () => identity.close());
    const ready = () => ({ ready: health.get(WHOLE_PROCESS) === true, checks: {} });
    const ops = await startOpsServer({ port: config.opsPort, host: config.opsHost, registry: metrics.registry, ready });
    closer.add('ops server', () => ops.close());
    const answers = createHttpAnswers({ gatewayUrl: config.gatewayUrl, logger });
    closer.add('answers under way', () => answers.close());
    const grpc = await startGrpcServer({
      address: config.grpcAddress,
      services: [bindMcpService({ answers })],
      identity,
      callers: CALLERS,
      health,
      logger,
      metrics,
      shutdownWaitMs: config.shutdownWaitMs,
    });
    closer.add('grpc server', () => grpc.close());
    logger.info({ address: grpc.address, ops_port: ops.port }, 'mcp server started');
    return { address: grpc.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
