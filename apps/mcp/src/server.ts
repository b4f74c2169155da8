import { CALLERS, IDEMPOTENT } from '@market-state/contracts';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService } from '@market-state/service';
import type { McpConfig } from './config';
import { createHttpAnswers } from './protocol/http-answers';
import { bindMcpService } from './rpc/service';

/** A running MCP server. */
export interface McpProcess extends RunningService {
  /** `host:port` of its RPCs. */
  readonly address: string;
}

/** Starts the process that answers agents over HTTP, whose messages the gateway forwards. */
export function startMcp(config: McpConfig, overrides: { readonly logger?: Logger } = {}): Promise<McpProcess> {
  const contracts = { callers: CALLERS, idempotent: IDEMPOTENT };
  return bootService({ ...config, name: 'mcp', contracts, logger: overrides.logger }, async ({ logger, closer, serve }) => {
    const answers = createHttpAnswers({ gatewayUrl: config.gatewayUrl, logger });
    closer.add('answers under way', () => answers.close());
    const address = await serve({
      address: config.grpcAddress,
      services: [bindMcpService({ answers })],
      shutdownWaitMs: config.shutdownWaitMs,
    });
    return { address };
  });
}
