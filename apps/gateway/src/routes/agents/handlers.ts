import type { Upstreams } from '../../clients/upstreams';
import { sendMcpMessage } from './send-mcp-message';

/** What agents use, by operation id. */
export function agentHandlers(upstreams: Pick<Upstreams, 'agents'>) {
  return { sendMcpMessage: sendMcpMessage(upstreams) };
}
