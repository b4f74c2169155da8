import type { Upstreams } from '../../clients/upstreams';
import type { AnswerOf, Handler } from '../../serving/answers/handler';
import type { AddressSigner } from '../../serving/http/request-lifetime';
import { JSON_TYPE, keptBytes } from '../../serving/http/representation';

interface AgentsDeps extends Pick<Upstreams, 'agents'> {
  readonly signer: Pick<AddressSigner, 'sign'>;
}

/** Body if the message expects no reply. */
const NOTHING = Buffer.from('{}');

/** The MCP server calls back as a client, and those calls count against the caller's signed address. */
export function sendMcpMessage({ agents, signer }: AgentsDeps): Handler<'sendMcpMessage'> {
  return async ({ input: { headers }, credential, address, bodyBytes }) => {
    const said = (name: string): string => String(headers[name] ?? '');
    const { status, body } = await agents.call.exchange({
      message: bodyBytes ?? Buffer.alloc(0),
      apiKey: credential?.secret ?? '',
      signedAddress: signer.sign(address()),
      protocolVersion: said('mcp-protocol-version'),
      method: said('mcp-method'),
      name: said('mcp-name'),
      allowExports: said('x-market-state-allow-exports') === 'true',
    });
    return { status, ...keptBytes<AnswerOf<'sendMcpMessage'>>(body.length === 0 ? NOTHING : body, JSON_TYPE) };
  };
}
