import { BudgetError, ProblemError, TransportError } from '@market-state/client';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ReadResourceResult, ResourceTemplate } from '@modelcontextprotocol/server';
import { type Cost, type Run, startRun } from '../session/run';
import type { Session } from '../session/session';
import { askedPage, partOfPage } from './docs-page';
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
    { title: 'The state of a market now', description: 'Its newest packet, compact. Cost: 1 credit.' },
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
  server.registerResource(
    'docs',
    new ResourceTemplate('market-state://docs/{+page}', { list: undefined }),
    {
      title: 'A page of the documentation',
      description: 'Page `start` lists them; also an operation of the API by its id, such as getLatest. Cost: free.',
      mimeType: 'text/markdown',
    },
    async (uri, { page = '' }, context) => {
      const run = startRun(session, context.mcpReq.signal);
      try {
        const text = await readPage(session, [page].flat().join(','), run);
        return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text, _meta: metaOf(run) }] };
      } catch (error) {
        throw refusalOf(error);
      }
    },
  );
}

/** @throws ProtocolError where there is no such page, or no such part of it */
async function readPage(session: Session, page: string, { signal }: Run): Promise<string> {
  const asked = askedPage(page);
  const markdown = asked === null ? null : await session.readText(asked.path, signal);
  if (asked === null || markdown === null)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page: market-state://docs/start lists them.');
  const text = partOfPage(markdown, asked);
  if (text !== null) return text;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The page has fewer parts: market-state://docs/${asked.name} is the first.`);
}

function asJson(uri: URL, value: unknown, run: Run): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value), _meta: metaOf(run) }] };
}

function metaOf(run: Run): { readonly cost: Cost; readonly request_id: string } {
  return { cost: run.cost(), request_id: run.requestId() };
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
