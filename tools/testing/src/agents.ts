import { userProgramFile, workspaceRoot } from '@market-state/launcher';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const NEWEST_REVISION = '2026-07-28';
const KEY_VARIABLE = 'MARKET_STATE_API_KEY';

export interface ToolAnswer {
  readonly isError: boolean;
  /** Size of its text, which is the JSON in `body`. */
  readonly bytes: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly cost: { readonly charged: number; readonly ceiling_left: number | null; readonly receipt_id: string | null };
}

/** The official MCP client, connected: validates each result against its tool's schema. */
export interface Agent {
  readonly client: Client;
  readonly revision: string;
  /** @throws the client's error if a result violates its schema, or the protocol rejects the call */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export function openHttpAgent(url: string, key: string, era: Era, headers: Readonly<Record<string, string>> = {}): Promise<Agent> {
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } };
  return openAgent(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }), era);
}

export function openStdioAgent(url: string, key: string, era: Era, options: readonly string[] = []): Promise<Agent> {
  const program = userProgramFile();
  const env = { PATH: process.env['PATH'] ?? '', MARKET_STATE_ROOT: workspaceRoot(), [KEY_VARIABLE]: key };
  const args = [program, 'mcp', '--url', url, ...options];
  return openAgent(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }), era);
}

export type ConfiguredServer =
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

export function openConfiguredAgent(server: ConfiguredServer, env: NodeJS.ProcessEnv): Promise<Agent> {
  if ('url' in server)
    return openAgent(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } }), 'modern');
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? '']));
  const { command, args } = server;
  const options = { command, args: [...args], env: { ...given, ...server.env }, cwd: workspaceRoot(), stderr: 'ignore' as const };
  return openAgent(new StdioClientTransport(options), 'modern');
}

async function openAgent(transport: Transport, era: Era): Promise<Agent> {
  const options = era === 'legacy' ? {} : { versionNegotiation: { mode: { pin: NEWEST_REVISION } } };
  const client = new Client({ name: 'tests', version: '1' }, options);
  await client.connect(transport);
  await client.listTools();
  return {
    client,
    revision: client.getNegotiatedProtocolVersion() ?? '',
    async call(tool, args = {}) {
      const { content, isError = false } = await client.callTool({ name: tool, arguments: { ...args } });
      const [first] = content as readonly { readonly type: string; readonly text?: string }[];
      const text = first?.text ?? '';
      const body = JSON.parse(text) as ToolAnswer['body'] & Pick<ToolAnswer, 'cost'>;
      return { isError, bytes: Buffer.byteLength(text), body, cost: body.cost };
    },
    close: () => client.close(),
  };
}
