import { McpServer } from '@modelcontextprotocol/server';
import { version } from '../../package.json';
import { registerPrompts } from '../prompts/prompts';
import { registerResources } from '../resources/resources';
import type { Session } from '../session/session';
import { toolsFor } from '../tools/catalogue';
import type { Tool } from '../tools/tool';
import { callTool } from './call-tool';
import { INSTRUCTIONS } from './instructions';
import { schemasOf } from './tool-schemas';

/** The list of tools changes with the key alone. */
const STATIC = { listChanged: false };

const readOnly = toolsFor(false);
const withOrders = toolsFor(true);

/** Told of what is our fault, and of which tool. */
export type OnFault = (error: unknown, tool: string) => void;

/** A server for one caller: of one request over HTTP, of one connection over stdio. */
export async function createServer(session: Session, onFault: OnFault): Promise<McpServer> {
  const server = new McpServer(
    { name: 'market-state', title: 'Market-State Data API', version },
    { instructions: INSTRUCTIONS, capabilities: { tools: STATIC, resources: STATIC, prompts: STATIC } },
  );
  const tools = (await session.mayExport()) ? withOrders : readOnly;
  for (const tool of tools) registerTool(server, session, tool, onFault);
  registerResources(server, session);
  registerPrompts(server);
  return server;
}

function registerTool(server: McpServer, session: Session, tool: Tool, onFault: OnFault): void {
  const { name, title, description, orders = false } = tool;
  const { input, output } = schemasOf(tool);
  const annotations = { readOnlyHint: !orders, idempotentHint: !orders };
  server.registerTool(name, { title, description, inputSchema: input, outputSchema: output, annotations }, (given, context) =>
    callTool(session, tool, given, context.mcpReq.signal, (error) => onFault(error, name)),
  );
}
