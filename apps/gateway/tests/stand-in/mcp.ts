import { mcp } from '@market-state/contracts';
import { bindService, createHealth, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testServing } from '@market-state/testing';

export interface StandInMcp {
  readonly address: string;
  /** Requests received, in order. */
  readonly requested: readonly mcp.ExchangeRequest[];
  /** Calls cancelled by the gateway. */
  cancelledTotal(): number;
  close(): Promise<void>;
}

/**
 * MCP server that echoes the method of each request and answers notifications with nothing; `wait` hangs until
 * cancelled.
 */
export async function startStandInMcp(): Promise<StandInMcp> {
  const requested: mcp.ExchangeRequest[] = [];
  let cancelled = 0;
  const service = bindService(mcp.McpServiceService, {
    async exchange(request, { signal }) {
      requested.push(request);
      const { id, method } = JSON.parse(request.message.toString('utf8')) as { readonly id?: number; readonly method: string };
      if (method === 'wait') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        cancelled += 1;
      }
      if (id === undefined) return { status: 202, body: Buffer.alloc(0) };
      return { status: 200, body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { method } })) };
    },
  });
  const server = await startGrpcServer({
    ...testServing('mcp'),
    address: '127.0.0.1:0',
    services: [service],
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
  });
  return { address: server.address, requested, cancelledTotal: () => cancelled, close: () => server.close() };
}
