import { METHOD_RULES, mcp } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { type BoundService, type CallContext, bindService, withDeps } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type RunningService, bootService } from '@market-state/service';
import { type McpServer, WebStandardStreamableHTTPServerTransport, createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpConfig } from './config';
import { type OnFault, createServer } from './protocol/create-server';
import { type Caller, type Session, openSession } from './session';

interface HttpMessage {
  readonly message: object;
  /** Empty if the caller sent none. */
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: Pick<Caller, 'apiKey' | 'allowExports'> & { readonly signedAddress: string; readonly requestId: string };
}

interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Stateless: each message comes with its caller's key. */
interface HttpAnswers {
  /** `signal` cancels the tool's calls. */
  answer(message: HttpMessage, signal: AbortSignal): Promise<HttpAnswer>;
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

  function sessionOf({ apiKey, allowExports, signedAddress, requestId }: HttpMessage['caller']): Session {
    return openSession({ baseUrl: gatewayUrl, apiKey, allowExports, send: senderFor(signedAddress), requestId: () => requestId });
  }

  return {
    async answer({ message, headers, caller }, signal) {
      if (wantsChanges(message)) return refusal(message);
      const request = new Request(ENDPOINT, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...sent(headers) },
        body: JSON.stringify(message),
        signal,
      });
      const session = sessionOf(caller);
      const response = (await isLegacyRequest(request, message))
        ? await answerOfOldClient(await createServer(session, onFault), request, message, signal)
        : await modern.fetch(request, {
            authInfo: { token: caller.apiKey, clientId: 'key', scopes: [], extra: { session } },
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

function refusal(message: object): HttpAnswer {
  const id = 'id' in message ? message.id : null;
  const error = { code: METHOD_NOT_FOUND, message: 'Nothing that this server lists changes, so there is nothing to subscribe to.' };
  return { status: 404, body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error })) };
}

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
