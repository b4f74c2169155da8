import { whole } from '../../market/numbers';
import type { PacketRow, PublicKey } from '@market-state/client/verify';
import { marketOfPacketLine } from '../../recompute/market-lines';

const KEY_BYTES = /^[A-Za-z0-9_-]{43}$/;
/** For a key without dates. */
const ALWAYS_UTC = '1970-01-01T00:00:00.000Z';

/**
 * Accepts the published key list or a single key.
 * @throws UnreadableError if the text contains no key
 */
export function keysOf(text: string): readonly PublicKey[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UnreadableError(
      'The keys are not valid JSON. Provide /.well-known/market-state-keys.json of the service, or a single key from it.',
    );
  }
  const listed = (json as { readonly keys?: unknown } | null)?.keys ?? json;
  const keys = (Array.isArray(listed) ? (listed as unknown[]) : [listed]).flatMap(keyOf);
  if (keys.length === 0) throw new UnreadableError('No key found: a key has "kid" and its 32 bytes as base64url in "x".');
  return keys;
}

function keyOf(json: unknown): readonly PublicKey[] {
  const { kid, x, valid_from_utc: from, valid_to_utc: to } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof kid !== 'string' || typeof x !== 'string' || !KEY_BYTES.test(x)) return [];
  const [validFrom, validTo] = [typeof from === 'string' ? from : ALWAYS_UTC, typeof to === 'string' ? to : null];
  return [{ kid, x, valid_from_utc: validFrom, valid_to_utc: validTo }];
}

/** The command line takes larger files. */
const FILE_BYTES_MAX = 67_108_864;
const UNPACKED_BYTES_MAX = 536_870_912;
const TOO_LARGE = 'Check it on your machine with npx market-state verify.';

const SCHEMAS: ReadonlySet<string> = new Set([
  'market_state_row.v1',
  'market_state_packet_row.v1',
  'market_state_checkpoint.v1',
  'market_state_signing_key.v1',
]);

export type Given =
  | { readonly kind: 'packets'; readonly rows: readonly PacketRow[] }
  | { readonly kind: 'dump'; readonly packed: ArrayBuffer; readonly symbols: readonly string[]; readonly lineTotal: number };

/** The message is shown to the user. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Detects the format from the bytes, not the name. @throws UnreadableError */
export async function readGiven(file: Blob): Promise<Given> {
  if (file.size === 0) throw new UnreadableError('The file is empty.');
  if (file.size > FILE_BYTES_MAX)
    throw new UnreadableError(
      `The file is ${mebibytes(file.size)} MiB; the limit of this page is ${mebibytes(FILE_BYTES_MAX)} MiB. ${TOO_LARGE}`,
    );
  if (await isGzip(file)) return readDump(file);
  const text = await file.text();
  const json = parsed(text);
  if (json !== undefined && schemaOf(json) === undefined) return { kind: 'packets', rows: packetRowsOf(json) };
  const [first = ''] = text.trimStart().split('\n', 1);
  if (schemaOf(parsed(first)) === undefined)
    throw new UnreadableError('Not a supported format: expected JSON, gzip, or the JSON lines of a bundle or dump.');
  return readDump(await new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob());
}

async function isGzip(file: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** Streams the dump without holding it in memory. */
async function readDump(file: Blob): Promise<Given> {
  const symbols = new Set<string>();
  let lineTotal = 0;
  let rest = '';
  const take = (line: string): void => {
    if (line === '') return;
    lineTotal += 1;
    const schema = /^\{"schema":"([^"]*)"/.exec(line)?.[1] ?? schemaOf(parsed(line));
    if (schema === undefined)
      throw new UnreadableError(`Line ${lineTotal} is not JSON with a schema, which every line of a bundle or dump must be.`);
    if (!SCHEMAS.has(schema)) throw new UnreadableError(`Line ${lineTotal} has the schema ${schema}, which this version does not support.`);
    const symbol = schema === 'market_state_packet_row.v1' ? marketOfPacketLine(line) : undefined;
    if (symbol !== undefined) symbols.add(symbol);
  };
  for await (const text of unpacked(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  }
  take(rest);
  if (symbols.size === 0) throw new UnreadableError('The file has no packets to check.');
  return { kind: 'dump', packed: await file.arrayBuffer(), symbols: [...symbols].sort(), lineTotal };
}

async function* unpacked(file: Blob): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const decoder = new TextDecoder();
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new UnreadableError('The gzip file is damaged or truncated.');
      });
      if (done) return;
      total += value.length;
      if (total > UNPACKED_BYTES_MAX)
        throw new UnreadableError(`It unpacks to more than ${mebibytes(UNPACKED_BYTES_MAX)} MiB. ${TOO_LARGE}`);
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function schemaOf(json: unknown): string | undefined {
  const { schema } = isObject(json) ? json : {};
  return typeof schema === 'string' ? schema : undefined;
}

/**
 * Packets of a service response, or a single one, with any digest and signature next to it.
 * @throws UnreadableError
 */
function packetRowsOf(json: unknown): readonly PacketRow[] {
  const answer = isObject(json) ? json : {};
  const rows: readonly unknown[] = Array.isArray(json) ? json : Array.isArray(answer['rows']) ? answer['rows'] : [json];
  const refs = Array.isArray(answer['packet_refs']) ? answer['packet_refs'].filter(isObject) : [];
  const found = rows.flatMap((row) => rowOf(row, refs));
  if (found.length > 0) return found;
  if (answer['packet'] === null) throw new UnreadableError('This share no longer shows its packet, so there is nothing to check.');
  throw new UnreadableError(
    'This JSON has no full packet. Compact packets (view=compact) cannot be checked, because the digest covers the full packet.',
  );
}

/** @param refs packet references that a response lists separately from its rows */
function rowOf(row: unknown, refs: readonly JsonObject[]): readonly PacketRow[] {
  if (!isObject(row)) return [];
  if (row['packet_type'] === 'market_state.v1') return [{ packet: row }];
  const { packet } = row;
  if (!isObject(packet)) return [];
  const ref = refs.find(({ event_id: id }) => id === packet['event_id']);
  return [{ packet, ...stated(row['proof']), ...stated(row['packet_ref']), ...stated(ref), ...stated(row) }];
}

const STATED = ['packet_generated_at_utc', 'packet_digest', 'lineage_digest', 'signature', 'signing_key_id', 'packet_id', 'event_id'];

/** Text fields next to a packet; a signature may also be an object with its key id. */
function stated(extra: unknown): Partial<PacketRow> {
  if (!isObject(extra)) return {};
  const inner = isObject(extra['signature']) ? extra['signature'] : {};
  const all = { ...extra, ...inner };
  return Object.fromEntries(STATED.flatMap((name) => (typeof all[name] === 'string' ? [[name, all[name]]] : [])));
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mebibytes(bytes: number): string {
  return whole(Math.ceil(bytes / 1_048_576));
}
