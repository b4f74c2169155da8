import { parseJson } from './json';

/** The variables that say how symbols are shared among the processes of one kind. */
interface ShardVariables {
  /** How many shards there are; 1 by default, or as many as SHARDS_FILE has. */
  readonly SHARD_COUNT?: string;
  /** The shard of this process, from 0; or a name that ends with it, as that of a pod of a StatefulSet does. With standbys: its ordinal. */
  readonly SHARD_INDEX?: string;
  /** Path of a JSON list with a list of symbols for each shard, in place of the checksum. */
  readonly SHARDS_FILE?: string;
}

/** What those variables say. */
interface ShardSettings {
  readonly index: number;
  readonly count: number;
  /** The symbols of this process's shard, in the order in which they are served. */
  readonly symbols: readonly string[];
  /** By variable. When there are any, the rest does not count. */
  readonly faults: readonly { readonly variable: keyof ShardVariables; readonly message: string }[];
}

/** How processes of one kind take shards. */
export interface ShardRule {
  /** Several processes may have one shard: ordinals go on beyond the count, and begin with the first shard again. */
  readonly hasStandbys?: boolean;
}

type Faults = { variable: keyof ShardVariables; message: string }[];

const COUNT_MAX = 1_000;

/**
 * The shard of this process: a symbol's shard is the CRC-32 of its name modulo `SHARD_COUNT`, or the one that has it in `SHARDS_FILE`. An
 * empty variable counts as absent; without any there is one shard with every symbol.
 * @param served every symbol that is served
 * @param readText gives a file's text; what it throws is reported as a fault of SHARDS_FILE
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
    faults.push({ variable: 'SHARD_COUNT', message: `must be ${listed}, as many as SHARDS_FILE has, or absent` });
  return listed ?? given ?? 1;
}

function indexOf(text: string | undefined, count: number, hasStandbys: boolean, faults: Faults): number {
  const refuse = (message: string): void => void faults.push({ variable: 'SHARD_INDEX', message });
  if (!text) {
    if (count > 1 && count < Infinity) refuse(`must be set where there are ${count} shards`);
    return 0;
  }
  const index = wholeNumberOf(/^(?:.+-)?(\d+)$/.exec(text)?.[1] ?? '');
  if (index === undefined) refuse('must be the number of a shard, or a name that ends with it, such as labeling-1');
  else if (index >= count && !hasStandbys) refuse(`must be less than ${count}, the number of shards`);
  return index ?? 0;
}

function wholeNumberOf(digits: string): number | undefined {
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

/** The shards that a file lists; undefined, with its faults among the others, where it cannot be used. */
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
  if (!isShards(shards)) return refuse('must be JSON: a list with a list of symbols for each shard, such as [["A"], ["B", "C"]]');
  const named = shards.flat();
  const twice = [...new Set(named.filter((symbol, at) => named.indexOf(symbol) !== at))];
  const missing = served.filter((symbol) => !named.includes(symbol));
  if (twice.length > 0) refuse(`names more than once: ${twice.join(', ')}`);
  if (missing.length > 0) refuse(`names in no shard: ${missing.join(', ')}`);
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

/** CRC-32 as zlib makes it, of a name in ASCII; this runs in browsers too. */
function crc32(name: string): number {
  let crc = -1;
  for (let at = 0; at < name.length; at += 1) {
    crc ^= name.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  return ~crc >>> 0;
}
