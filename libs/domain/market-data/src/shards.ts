import { parseJson } from './json';

interface ShardVariables {
  /** Default 1, or the length of SHARDS_FILE. */
  readonly SHARD_COUNT?: string;
  /**
   * Shard of this process, from 0, or a name ending with it, such as a StatefulSet pod's. With standbys: the process
   * ordinal.
   */
  readonly SHARD_INDEX?: string;
  /** A JSON list of symbol lists, one per shard; replaces the checksum. */
  readonly SHARDS_FILE?: string;
}

interface ShardSettings {
  readonly index: number;
  readonly count: number;
  readonly symbols: readonly string[];
  /** If not empty, ignore the other fields. */
  readonly faults: readonly { readonly variable: keyof ShardVariables; readonly message: string }[];
}

export interface ShardRule {
  /** Several processes can serve one shard: ordinals beyond the count wrap around. */
  readonly hasStandbys?: boolean;
}

type Faults = { variable: keyof ShardVariables; message: string }[];

const COUNT_MAX = 1_000;

/**
 * Assigns symbols by `SHARDS_FILE`, otherwise by CRC-32 of the name modulo `SHARD_COUNT`. Empty variables count as
 * absent; by default there is one shard.
 * @param served every served symbol
 * @param readText reads a file; its errors become faults of SHARDS_FILE
 */
export function readShardSettings(
  { SHARD_COUNT, SHARD_INDEX, SHARDS_FILE }: ShardVariables,
  served: readonly string[],
  readText: (path: string) => string,
  { hasStandbys = false }: ShardRule = {},
): ShardSettings {
  const faults: Faults = [];
  const listed = SHARDS_FILE ? listedShards(SHARDS_FILE, served, readText, faults) : undefined;
  const count = countOf(SHARD_COUNT, listed?.length, faults);
  const ordinal = indexOf(SHARD_INDEX, faults.length === 0 ? count : Infinity, hasStandbys, faults);
  const index = hasStandbys ? ordinal % count : ordinal;
  const isOwn = (symbol: string): boolean =>
    listed === undefined ? crc32(symbol) % count === index : listed[index]?.includes(symbol) === true;
  return { index, count, symbols: served.filter(isOwn), faults };
}

function countOf(text: string | undefined, listed: number | undefined, faults: Faults): number {
  const given = text ? wholeNumberOf(text) : undefined;
  if (text && (given === undefined || given < 1 || given > COUNT_MAX))
    faults.push({ variable: 'SHARD_COUNT', message: `must be a whole number, 1..${COUNT_MAX}` });
  else if (given !== undefined && listed !== undefined && given !== listed)
    faults.push({ variable: 'SHARD_COUNT', message: `must be ${listed}, the number of shards in SHARDS_FILE, or absent` });
  return listed ?? given ?? 1;
}

function indexOf(text: string | undefined, count: number, hasStandbys: boolean, faults: Faults): number {
  const refuse = (message: string): void => void faults.push({ variable: 'SHARD_INDEX', message });
  if (!text) {
    if (count > 1 && count < Infinity) refuse(`must be set if there are ${count} shards`);
    return 0;
  }
  const index = wholeNumberOf(/^(?:.+-)?(\d+)$/.exec(text)?.[1] ?? '');
  if (index === undefined) refuse('must be a shard number, or a name that ends with one, such as labeling-1');
  else if (index >= count && !hasStandbys) refuse(`must be less than ${count}, the number of shards`);
  return index ?? 0;
}

function wholeNumberOf(digits: string): number | undefined {
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

function listedShards(
  path: string,
  served: readonly string[],
  readText: (path: string) => string,
  faults: Faults,
): readonly (readonly string[])[] | undefined {
  const refuse = (message: string): undefined => void faults.push({ variable: 'SHARDS_FILE', message });
  let text: string;
  try {
    text = readText(path);
  } catch {
    return refuse(`${path} cannot be read`);
  }
  const shards = parseJson(text);
  if (!isShards(shards)) return refuse('must be JSON: a list with one list of symbols per shard, such as [["A"], ["B", "C"]]');
  const named = shards.flat();
  const twice = [...new Set(named.filter((symbol, at) => named.indexOf(symbol) !== at))];
  const missing = served.filter((symbol) => !named.includes(symbol));
  if (twice.length > 0) refuse(`lists more than once: ${twice.join(', ')}`);
  if (missing.length > 0) refuse(`assigns no shard to: ${missing.join(', ')}`);
  return shards;
}

function isShards(value: unknown): value is readonly (readonly string[])[] {
  const isList = (one: unknown): one is readonly unknown[] => Array.isArray(one);
  return (
    isList(value) &&
    value.length >= 1 &&
    value.length <= COUNT_MAX &&
    value.every((shard) => isList(shard) && shard.every((symbol) => typeof symbol === 'string'))
  );
}

/** zlib's CRC-32 of an ASCII name; also runs in browsers. */
function crc32(name: string): number {
  let crc = -1;
  for (let at = 0; at < name.length; at += 1) {
    crc ^= name.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  return ~crc >>> 0;
}
