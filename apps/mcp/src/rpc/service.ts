import { mcp } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { exchange, type ExchangeDeps } from './exchange';

export function bindMcpService(deps: ExchangeDeps): BoundService {
  return bindService(mcp.McpServiceService, withDeps(deps, { exchange }));
}
