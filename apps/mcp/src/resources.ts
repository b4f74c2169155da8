import { BudgetError, ProblemError, TransportError } from '@market-state/client';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ReadResourceResult, ResourceTemplate } from '@modelcontextprotocol/server';
import { sizeOf, TEXT_BYTES_MAX } from './findings';
import { type Cost, type Run, type Session, startRun } from './session';

const ADDRESS = 'market-state://docs/';
const LIST = 'start';
const NAME = /^([a-z0-9][A-Za-z0-9_-]*(?:\/[a-z0-9][A-Za-z0-9_-]*)*)(?::([1-9]\d?))?$/;
const OPERATION = /^[a-z]+(?:[A-Z][a-z0-9]*)+$/;
/** Space for the line that points to the next part. */
const LINE_BYTES = 300;

interface RequestedPage {
  readonly path: string;
  readonly name: string;
  readonly part: number;
}

/** `guides/streaming`, `getLatest`, `reference/labeling:2`; null if not valid. */
export function requestedPage(page: string): RequestedPage | null {
  const [, name, part = '1'] = NAME.exec(page) ?? [];
  if (name === undefined) return null;
  if (name === LIST) return { path: '/llms.txt', name, part: Number(part) };
  const found = OPERATION.test(name) ? `reference/operations/${kebab(name)}` : name;
  return { path: `/docs/${found}.md`, name: found, part: Number(part) };
}

/** Rewrites links to resources; null beyond the last part. */
export function partOfPage(markdown: string, { name, part }: RequestedPage): string | null {
  const parts = partsOf(markdown.replaceAll(/\]\(\/docs\/([^)#\s]+?)\.md(?:#[^)\s]*)?\)/g, `](${ADDRESS}$1)`));
  const text = parts[part - 1];
  if (text === undefined) return null;
  return part === parts.length ? text : `${text}\nPart ${part} of ${parts.length}. Continues at ${ADDRESS}${name}:${part + 1}\n`;
}

/** Splits before a heading if possible, else after a line. */
function partsOf(text: string): readonly string[] {
  const parts = [''];
  for (const piece of text.split(/^(?=#{2,3} )/m).flatMap((section) => (isFit(section) ? [section] : section.split(/(?<=\n)/)))) {
    const last = parts.at(-1) ?? '';
    if (isFit(last + piece)) parts[parts.length - 1] = last + piece;
    else parts.push(...inCharacters(piece));
  }
  return parts.filter((part) => part !== '');
}

/** A character has up to four bytes. */
function inCharacters(line: string): readonly string[] {
  if (isFit(line)) return [line];
  const size = Math.floor((TEXT_BYTES_MAX - LINE_BYTES) / 4);
  const characters = [...line];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) => characters.slice(at * size, (at + 1) * size).join(''));
}

function isFit(text: string): boolean {
  return Buffer.byteLength(text) <= TEXT_BYTES_MAX - LINE_BYTES;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** If the object is too large, the fields that fit, and the names and addresses of the rest. */
function part(whole: object, name: string, address: string): unknown {
  const fields = Object.entries(whole);
  if (name !== 'all') {
    const [, value] = fields.find(([field]) => field === name) ?? [];
    if (value === undefined) return { parts: fields.map(([field]) => field), error: 'There is no part with this name.' };
    return sizeOf(value) <= TEXT_BYTES_MAX ? { [name]: value } : { truncated: true, omitted: { [name]: sizeOf(value) }, unit: 'bytes' };
  }
  if (sizeOf(whole) <= TEXT_BYTES_MAX) return whole;
  const given: Record<string, unknown> = {};
  const left: string[] = [];
  for (const [field, value] of fields) {
    const isFit = sizeOf({ ...given, [field]: value }) + sizeOf(fields.map(([other]) => address + other)) <= TEXT_BYTES_MAX;
    if (isFit) given[field] = value;
    else left.push(field);
  }
  return { ...given, truncated: true, omitted: { parts: left.length }, next: left.map((field) => address + field) };
}

type Read = (variable: (name: string) => string, run: Run) => Promise<unknown>;

/** Lists only templates; each read costs as much as its call. */
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
    { title: 'Current state of a market', description: 'Its newest packet, compact. Cost: 1 credit.' },
    (variable, run) => {
      const symbol = variable('symbol');
      if (symbol === 'ALL') throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'One symbol; the tool overview covers all.');
      return run.ask((ms, options) => ms.latest.get({ symbol, view: 'compact' }, options));
    },
  );
  register(
    'policy',
    'market-state://policy/{part}',
    { title: 'Rules referenced by packets', description: 'Part `all`, or one field of the published policy. Cost: free.' },
    async (variable, run) =>
      part(await run.ask((ms, options) => ms.demo.labelingPolicy({}, options)), variable('part'), 'market-state://policy/'),
  );
  server.registerResource(
    'docs',
    new ResourceTemplate('market-state://docs/{+page}', { list: undefined }),
    {
      title: 'A page of the documentation',
      description: 'Page `start` lists them; also an API operation by its id, such as getLatest. Cost: free.',
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

/** @throws {ProtocolError} for an unknown page or part */
async function readPage(session: Session, page: string, { signal }: Run): Promise<string> {
  const wanted = requestedPage(page);
  const markdown = wanted === null ? null : await session.readText(wanted.path, signal);
  if (wanted === null || markdown === null)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page: market-state://docs/start lists them.');
  const text = partOfPage(markdown, wanted);
  if (text !== null) return text;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The page has fewer parts: market-state://docs/${wanted.name} is the first.`);
}

function asJson(uri: URL, value: unknown, run: Run): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value), _meta: metaOf(run) }] };
}

function metaOf(run: Run): { readonly cost: Cost; readonly request_id: string } {
  return { cost: run.cost(), request_id: run.requestId() };
}

/** Includes the service's code and request id. */
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
