import { type LogBundle, loadPolicy } from '@market-state/labeler';
import { identityOf, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import { type PageRequest, oneOf, wholeBetween } from '@market-state/testing';
import type { Maker } from './bundles';

/** One thing changed in what is checked. */
export interface Mutation {
  /** What was changed, for a report. */
  readonly name: string;
  readonly lines: readonly string[];
  readonly request: Pick<PageRequest, 'keys' | 'policyFiles'>;
}

type Json = Record<string, unknown>;
type Random = () => number;

/** Places in a log that say where it lies, not what happened: `input_digest` leaves them out. */
const NOT_DIGESTED = ['schema', 'kind', 'received_ts_ms', 'ordinal', 'epoch'];
/** The head of gzip holds a time and a program, which are no part of the state: as many characters of base64. */
const GZIP_HEAD_CHARACTERS = 16;

/** Changes one digested field of an entry, a field of the checkpoint, of a packet or its row, a key, or the policy. */
export function mutate(bundle: LogBundle, maker: Maker, other: Maker, random: Random): Mutation {
  const policyFiles = loadPolicy().files;
  const request = { keys: [maker.published], policyFiles };
  const { lines } = bundle;
  const inLine = (what: string, start: string, change: (line: Json) => string): Mutation => {
    const at = lines.findIndex((line) => line.includes(start));
    const line = JSON.parse(lines[at] ?? 'null') as Json;
    const name = change(line);
    return { name: `${what}: ${name}`, lines: lines.with(at, JSON.stringify(line)), request };
  };
  const packet = oneOf(bundle.packets, random);
  const packetStart = `"packet_id":"${packet?.packet_id ?? ''}","policy_digest"`;
  const kinds: readonly [() => Mutation, ...(() => Mutation)[]] = [
    () => {
      const entry = oneOf(digestedEntries(bundle), random);
      return inLine(`entry ${entry?.ordinal ?? 0}`, `"ordinal":${entry?.ordinal ?? 0},`, (line) => changeLeaf(line, random, NOT_DIGESTED));
    },
    () => inLine(`packet ${packet?.packet_id ?? ''}`, packetStart, (line) => changeLeaf(line['packet'] as Json, random, [])),
    () => inLine(`row of ${packet?.packet_id ?? ''}`, packetStart, (line) => changeLeaf(line, random, ['schema', 'packet'])),
    () => inLine('key', 'market_state_signing_key.v1', (line) => changeLeaf(line, random, ['schema'])),
    () => ({ name: 'published key', lines, request: { keys: [other.published], policyFiles } }),
    () => {
      const changed = structuredClone(policyFiles) as unknown as Json;
      return { name: `policy: ${changeLeaf(changed, random, [])}`, lines, request: { ...request, policyFiles: changed } };
    },
  ];
  const ofCheckpoint = (): Mutation =>
    inLine('checkpoint', 'market_state_checkpoint.v1', (line) => changeLeaf(line, random, ['schema'], GZIP_HEAD_CHARACTERS));
  // Entries and packets are most of a bundle, and most of what is changed.
  const [entry, body] = kinds;
  const start = bundle.checkpoint === null ? [] : [ofCheckpoint, ofCheckpoint];
  return oneOf([entry, entry, entry, body ?? entry, ...kinds, ...start], random)();
}

/** Data entries and reports of the feed that a packet of the bundle was made from. */
function digestedEntries({ entries, packets }: LogBundle): MarketEvent[] {
  const closing = new Map(packets.map((row) => [row.window_end_ms, row.closing_ordinal ?? 0]));
  const last = packets.at(-1)?.closing_ordinal ?? 0;
  const [firstMs = 0] = closing.keys();
  const seen = new Set<string>();
  return entries.filter((event) => {
    if (event.kind === 'tick') return false;
    if (event.kind === 'feed_status') return event.ordinal < last;
    const identity = `${event.kind} ${event.pass} ${identityOf(event)}`;
    const isFirst = !seen.has(identity);
    seen.add(identity);
    const windowEndMs = Math.ceil(event.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
    // What the first window repeats may have been seen before the bundle.
    return isFirst && windowEndMs > firstMs && event.ordinal < (closing.get(windowEndMs) ?? 0);
  });
}

/** Changes one innermost value in place, and says which. */
function changeLeaf(object: Json, random: Random, except: readonly string[], textFrom = 0): string {
  const leaves = [...leavesOf(object, '')].filter(
    ({ path }) => !except.some((name) => path === `/${name}` || path.startsWith(`/${name}/`)),
  );
  const leaf = oneOf(leaves, random);
  if (leaf === undefined) throw new Error('nothing to change');
  leaf.holder[leaf.name] = changed(leaf.holder[leaf.name], random, leaf.path === '/state' ? textFrom : 0);
  return leaf.path;
}

interface Leaf {
  readonly holder: Json;
  readonly name: string;
  readonly path: string;
}

function* leavesOf(holder: Json, path: string): Generator<Leaf> {
  for (const [name, value] of Object.entries(holder)) {
    const place = `${path}/${name}`;
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) yield* leavesOf(value as Json, place);
    else yield { holder, name, path: place };
  }
}

function changed(value: unknown, random: Random, textFrom: number): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + oneOf([1, -1, 10_000], random);
  if (typeof value === 'string' && value !== '') return changedText(value, random, textFrom);
  return 'x';
}

/** The text with one character, not the first, replaced by another of its kind. */
function changedText(text: string, random: Random, from: number): string {
  const at = wholeBetween(Math.min(from, text.length - 1), text.length - 1, random);
  const character = text[at] ?? '';
  const kinds = ['0123456789', 'abcdef', 'ghjkmnpqrstvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const kind = (kinds.find((characters) => characters.includes(character)) ?? 'xyz').replace(character, '');
  return `${text.slice(0, at)}${oneOf([...kind], random) ?? 'x'}${text.slice(at + 1)}`;
}
