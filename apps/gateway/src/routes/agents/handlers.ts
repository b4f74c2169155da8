import { type AgentsDeps, sendMcpMessage } from './send-mcp-message';

/** What agents use, by operation id. */
export function agentHandlers(deps: AgentsDeps) {
  return { sendMcpMessage: sendMcpMessage(deps) };
}
