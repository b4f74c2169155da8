import { METHOD_RULES, mcp } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { bindService, type UnaryHandler } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type RunningService, bootService } from '@market-state/service';
import { type McpServer, WebStandardStreamableHTTPServerTransport, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpConfig } from './config';
import { type OnFault, createServer } from './create-server';
import { type Session, openSession } from './session';

/** Stateless: each message comes with its caller's key. */
interface HttpAnswers {
  exchange: UnaryHandler<mcp.ExchangeRequest, mcp.ExchangeResponse>;
  close(): Promise<void>;
}

/** Placeholder: the path is never read. */
const ENDPOINT = 'http://mcp.invalid/mcp';

/** Below the gateway's limit of connections per address. */
const CALLS_AT_ONCE = 100;

const METHOD_NOT_FOUND = -32_601;

/** @param gatewayUrl without a trailing slash */
function createHttpAnswers({ gatewayUrl, logger }: { readonly gatewayUrl: string; readonly logger: Logger }): HttpAnswers {
  const onFault: OnFault = (error, tool) => logger.error({ err: error, tool }, 'tool failed');
  const modern = createMcpHandler(({ authInfo }) => createServer(authInfo?.extra?.['session'] as Session, onFault), {
    legacy: 'reject',
    responseMode: 'json',
    keepAliveMs: 0,
    onerror: (error) => logger.debug({ err: error }, 'message refused'),
  });

  const limit = createConcurrencyLimit(CALLS_AT_ONCE);

  /** So that limits per address count callers, not this process. */
  function senderFor(signedAddress: string): typeof fetch {
    return (input, init) => {
      const headers = { ...(init?.headers as Record<string, string>), 'x-market-state-signed-address': signedAddress };
      return limit(() => fetch(input, { ...init, headers }));
    };
  }

  return {
    async exchange(request, { signal, requestId }) {
      const { apiKey, signedAddress, allowExports, protocolVersion, method, name } = request;
      const message = parsed(request.message);
      if (wantsChanges(message)) return refusal(message);
      const headers = { 'mcp-protocol-version': protocolVersion, 'mcp-method': method, 'mcp-name': name };
      const http = new Request(ENDPOINT, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...sent(headers) },
        body: JSON.stringify(message),
        signal,
      });
      const session = openSession({
        baseUrl: gatewayUrl,
        apiKey,
        allowExports,
        send: senderFor(signedAddress),
        requestId: () => requestId,
      });
      const response = (await isLegacyRequest(http, message))
        ? await answerOfOldClient(await createServer(session, onFault), http, message, signal)
        : await modern.fetch(http, {
            authInfo: { token: apiKey, clientId: 'key', scopes: [], extra: { session } },
            parsedBody: message,
          });
      return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    },
    close: () => modern.close(),
  };
}

/** The 2025 protocol, without a session. */
async function answerOfOldClient(server: McpServer, request: Request, message: object, signal: AbortSignal): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  const stop = (): void => void server.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    signal.removeEventListener('abort', stop);
    await server.close();
  }
}

function sent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

/** Every message has one answer, and nothing listed here changes. */
function wantsChanges(message: object): boolean {
  return 'method' in message && message.method === 'subscriptions/listen';
}

function refusal(message: object): mcp.ExchangeResponse {
  const id = 'id' in message ? message.id : null;
  const error = { code: METHOD_NOT_FOUND, message: 'Nothing that this server lists changes, so there is nothing to subscribe to.' };
  return { status: 404, body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error })) };
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
      services: [bindService(mcp.McpServiceService, { exchange: answers.exchange })],
      shutdownWaitMs: config.shutdownWaitMs,
    });
    return { address };
  });
}
