import { mcp, METHOD_RULES } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { bindService, type BoundService, withDeps, type CallContext } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { bootService, type RunningService } from '@market-state/service';
import type { McpConfig } from './config';
import { createHttpAnswers, type HttpAnswers } from './protocol/http-answers';

interface ExchangeDeps {
  readonly answers: Pick<HttpAnswers, 'answer'>;
}

async function exchange(
  { answers }: ExchangeDeps,
  request: mcp.ExchangeRequest,
  { signal, requestId }: CallContext,
): Promise<mcp.ExchangeResponse> {
  const { apiKey, signedAddress, allowExports, protocolVersion, method, name } = request;
  const message = parsed(request.message);
  const headers = { 'mcp-protocol-version': protocolVersion, 'mcp-method': method, 'mcp-name': name };
  return answers.answer({ message, headers, caller: { apiKey, signedAddress, allowExports, requestId } }, signal);
}

/** @throws {ServiceError} INVALID_ARGUMENT unless the bytes are a JSON object */
function parsed(bytes: Buffer): object {
  try {
    const message: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) return message;
  } catch {
    // Thrown below, like JSON that is not an object.
  }
  throw invalidArgument([{ field: 'message', message: 'must be a JSON object', type: 'invalid_json' }]);
}

function bindMcpService(deps: ExchangeDeps): BoundService {
  return bindService(mcp.McpServiceService, withDeps(deps, { exchange }));
}

interface McpProcess extends RunningService {
  readonly address: string;
}

/** The gateway forwards agents' HTTP messages to it. */
export function startMcp(config: McpConfig, overrides: { readonly logger?: Logger } = {}): Promise<McpProcess> {
  return bootService({ ...config, name: 'mcp', methodRules: METHOD_RULES, logger: overrides.logger }, async ({ logger, closer, serve }) => {
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
