import type { OperationId } from '../src';
import type { Example } from './example';

/** Calls that agents make, as from any JSON-RPC client. */
export const agentExamples = {
  sendMcpMessage: (ms, { symbol }) =>
    ms.agents.sendMcpMessage({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'overview', arguments: { symbols: [symbol] } },
    }),
} satisfies Partial<Record<OperationId, Example>>;
