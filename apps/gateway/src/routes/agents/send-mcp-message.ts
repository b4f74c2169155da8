import type { Upstreams } from '../../clients/upstreams';
import type { AnswerOf, Handler } from '../../serving/handlers/handler';
import { jsonRepresentation } from '../../serving/http/representation';

/**
 * Hands a message of an agent to the MCP server, with the caller's key and address: it calls this gateway for it as any client would. The
 * answer is as that server gives it.
 */
export function sendMcpMessage({ agents }: Pick<Upstreams, 'agents'>): Handler<'sendMcpMessage'> {
  return async ({ input: { headers }, credential, address, bodyBytes }) => {
    const said = (name: string): string => String(headers[name] ?? '');
    const { status, body } = await agents.call.exchange({
      message: bodyBytes ?? Buffer.alloc(0),
      apiKey: credential?.secret ?? '',
      address,
      protocolVersion: said('mcp-protocol-version'),
      method: said('mcp-method'),
      name: said('mcp-name'),
      allowExports: said('x-market-state-allow-exports') === 'true',
    });
    const answer = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as AnswerOf<'sendMcpMessage'>);
    return { status, ...jsonRepresentation(answer) };
  };
}
