import { PACKET_BODY_COLUMNS } from '@market-state/export-schema';
import { lineageDigest, sha256Hex, type SigningKey, signatureOutcome } from '@market-state/labeler';
import type { NamedCells } from '@market-state/market-data';
import type { RowCheck } from './row-checks';

type Body = Readonly<Record<string, unknown>>;

/** Columns that the body repeats under the same name. */
const SAME_NAME = ['symbol', 'packet_id', 'event_id', 'input_digest', 'policy_digest'];

/**
 * Checks packets of a symbol: body digest, signature, link to the previous packet, and columns repeated in the body. As
 * in a replay, the chain contains packet digests.
 * @param keys by id
 */
export function packetCheck(keys: ReadonlyMap<string, SigningKey>): RowCheck {
  let before: { readonly sequence: number; readonly lineage: string } | undefined;
  return async (cells) => {
    const digest = textOf(cells, 'packet_digest');
    const bodyText = textOf(cells, 'body');
    const faults: string[] = [];
    const found = sha256Hex(bodyText);
    if (found !== digest) faults.push(`SHA-256 of body is ${found}, packet_digest is ${digest}`);
    faults.push(...(await signatureFaults(cells, digest, keys)));
    const body = bodyOf(bodyText);
    if (body === undefined) faults.push('body is not JSON');
    else faults.push(...columnFaults(cells, body), ...linkFaults(cells, body, digest, before));
    before = linkOf(cells);
    return { timeMs: Number(cells['window_end_ms']), line: digest, faults };
  };
}

function textOf(cells: NamedCells, name: string): string {
  const value = cells[name];
  return typeof value === 'string' ? value : '';
}

function bodyOf(text: string): Body | undefined {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined;
  }
}

async function signatureFaults(cells: NamedCells, packetDigest: string, keys: ReadonlyMap<string, SigningKey>): Promise<string[]> {
  if (!('signature' in cells) || !('signing_key_id' in cells)) return [];
  const [signature, signingKeyId] = ['signature', 'signing_key_id'].map((name) => textOf(cells, name) || null);
  switch (await signatureOutcome({ signature: signature ?? null, signingKeyId: signingKeyId ?? null, packetDigest }, keys)) {
    case 'valid':
    case 'unsigned':
      return [];
    case 'invalid':
      return [`not a valid signature by ${signingKeyId ?? 'any key'}`];
    case 'unknownKey':
      return [`signed with ${signingKeyId ?? ''}, which is not in keys.json`];
  }
}

function columnFaults(cells: NamedCells, body: Body): string[] {
  const columns = [...SAME_NAME.map((name) => ({ name, path: name })), ...PACKET_BODY_COLUMNS];
  return columns.flatMap(({ name, path }) => {
    if (!(name in cells)) return [];
    const said = path.split('.').reduce<unknown>((value, member) => (value as Body | null | undefined)?.[member], body);
    return isSame(cells[name], said) ? [] : [`${name} is ${shown(cells[name])}, body has ${shown(said)}`];
  });
}

/** Compares a cell with a value of the body; in CSV numbers are text and lists are joined. */
function isSame(cell: unknown, said: unknown): boolean {
  if (Array.isArray(said) && !Array.isArray(cell)) return (cell ?? '') === said.join('|');
  if (typeof said === 'number') return Number(cell) === said;
  return JSON.stringify(cell ?? null) === JSON.stringify(said ?? null);
}

function shown(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null);
}

interface Link {
  readonly sequence: number;
  readonly lineage: string;
}

function linkOf(cells: NamedCells): Link | undefined {
  const lineage = textOf(cells, 'lineage_digest');
  return lineage === '' || !('sequence' in cells) ? undefined : { sequence: Number(cells['sequence']), lineage };
}

function linkFaults(cells: NamedCells, body: Body, digest: string, before: Link | undefined): string[] {
  const previous = body['previous_lineage_digest'];
  if (typeof previous !== 'string') return ['body has no previous_lineage_digest'];
  const link = linkOf(cells);
  if (link === undefined) return [];
  const faults: string[] = [];
  if (lineageDigest(previous, digest) !== link.lineage) faults.push('lineage_digest does not match the body');
  if (before !== undefined && link.sequence === before.sequence + 1 && previous !== before.lineage)
    faults.push(`the body names ${previous} as the previous packet, whose lineage_digest is ${before.lineage}`);
  return faults;
}
