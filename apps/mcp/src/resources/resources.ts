import { BudgetError, ProblemError, TransportError } from '@market-state/client';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ReadResourceResult, ResourceTemplate } from '@modelcontextprotocol/server';
import { type Run, startRun } from '../session/run';
import type { Session } from '../session/session';
import { part } from './part';

type Read = (variable: (name: string) => string, run: Run) => Promise<unknown>;

/** What an agent can read by address. Nothing is listed: templates say what there is, and each read costs what its call costs. */
export function registerResources(server: McpServer, session: Session): void {
  function register(name: string, template: string, config: { title: string; description: string }, read: Read): void {
    const found = new ResourceTemplate(template, { list: undefined });
    server.registerResource(name, found, { ...config, mimeType: 'application/json' }, async (uri, variables, context) => {
      const variable = (of: string): string => decodeURIComponent([variables[of] ?? ''].flat().join(','));
      const run = startRun(session, context.mcpReq.signal);
      try {
        return asJson(uri, await read(variable, run), run);
      } catch (error) {
        throw refusalOf(error);
      }
    });
  }

  register(
    'packet',
    'market-state://packet/{event_id}/{part}',
    {
      title: 'A packet',
      description: 'Part `all`, or one field of it: packet, lineage, transitions or a field of the packet. Cost: 3 credits.',
    },
    async (variable, run) => {
      const eventId = variable('event_id');
      const bench = await run.ask((ms, options) => ms.packets.workbench({ event_id: eventId }, options));
      const { packet, lineage, transitions, packet_ref } = bench;
      return part({ packet_ref, ...packet, lineage, transitions }, variable('part'), `market-state://packet/${eventId}/`);
    },
  );
  register(
    'state',
    'market-state://state/{symbol}',
    { title: 'The state of a market now', description: 'Its newest packet in short. Cost: 1 credit.' },
    (variable, run) => {
      const symbol = variable('symbol');
      if (symbol === 'ALL') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'One symbol; the tool overview tells of all.');
      return run.ask((ms, options) => ms.latest.get({ symbol, view: 'compact' }, options));
    },
  );
  register(
    'policy',
    'market-state://policy/{part}',
    { title: 'The rules that packets name', description: 'Part `all`, or one field of the published policy. Cost: free.' },
    async (variable, run) =>
      part(await run.ask((ms, options) => ms.demo.labelingPolicy({}, options)), variable('part'), 'market-state://policy/'),
  );
  register(
    'docs',
    'market-state://docs/{page}',
    {
      title: 'A page of the reference',
      description: 'Page `start` lists them; else an operation of the API by its id, such as getLatest. Cost: free.',
    },
    async (variable, run) => {
      const page = variable('page');
      const { info, paths } = (await run.ask((ms, options) => ms.documents.openapi(options))) as unknown as Reference;
      const all = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
      );
      const shown = all.find(({ operationId }) => operationId === page);
      if (page !== 'start' && shown === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page: `start`, or the id of an operation.');
      if (shown === undefined) return { ...info, operations: all.map(({ operationId, summary }) => ({ operationId, summary })) };
      const { method, path, summary, description, parameters = [] } = shown;
      return part({ page, method, path, summary, description, parameters }, 'all', 'market-state://docs/');
    },
  );
}

/** What is read of the document. */
interface Reference {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

/** What is shown of an operation. */
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly unknown[];
}

function asJson(uri: URL, value: unknown, run: Run): ReadResourceResult {
  const told = { cost: run.cost(), request_id: run.requestId() };
  return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value), _meta: told }] };
}

/** The error of the protocol for what the service refused, with the code and the id that it gave. */
function refusalOf(error: unknown): unknown {
  if (error instanceof ProblemError) {
    const { status, code, detail, requestId } = error;
    const kind = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    return new ProtocolError(kind, detail, { code, request_id: requestId });
  }
  if (error instanceof TransportError)
    return new ProtocolError(ProtocolErrorCode.InternalError, error.message, { code: 'no_answer', request_id: error.requestId });
  if (error instanceof BudgetError) return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { code: 'budget_exceeded' });
  return error;
}
