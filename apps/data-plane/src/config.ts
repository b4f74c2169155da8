import { address, commaList, commonVariables, ConfigError, type Environment, postgresUrl, readConfig, redisUrl, wholeNumber } from '@market-state/config';
import { instruments } from '@market-state/market-data';
import { z } from 'zod';
import { bundledRecordings } from './feed/bundled-recordings';
import { missingFiles, parseFeedFile } from './feed/feed-file';

const knownSymbols = instruments.map(({ symbol }) => symbol);
const startMsMax = Date.UTC(2100, 0);

function unknownSymbols(symbols: readonly string[]): string[] {
  const unknown = symbols.filter((symbol) => !knownSymbols.includes(symbol));
  return unknown.length === 0 ? [] : [`unknown symbol: ${unknown.join(', ')}; known: ${knownSymbols.join(', ')}`];
}

const symbolList = commaList
  .transform((symbols) => [...new Set(symbols)])
  .superRefine((symbols, context) => unknownSymbols(symbols).forEach((message) => context.addIssue({ code: 'custom', message })));

const feedFile = z.string().transform((text, context) => {
  const { files, faults } = parseFeedFile(text);
  const missing = missingFiles(files).map((file) => `no such file: ${file}`);
  for (const message of [...faults, ...unknownSymbols(Object.keys(files)), ...missing]) context.addIssue({ code: 'custom', message });
  return files;
});

const feedSpeed = z.string().transform((text, context) => {
  if (text === 'max') return 'max' as const;
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text) && Number(text) > 0) return Number(text);
  context.addIssue({ code: 'custom', message: 'must be a positive number or max' });
  return z.NEVER;
});

/** `none`: the feed waits for nobody. */
const consumerList = commaList.transform((consumers) => consumers.filter((consumer) => consumer !== 'none'));

const feedVariables = z.object({
  ...commonVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
  SYMBOLS: symbolList.optional(),
  FEED: z.enum(['recording'], { error: 'must be recording' }).default('recording'),
  FEED_FILE: feedFile.optional(),
  FEED_SPEED: feedSpeed.default(1),
  FEED_START: wholeNumber(0, startMsMax).optional(),
  FEED_CONSUMERS: consumerList.default(['recorder', 'labeling']),
  FEED_MEMORY_MB_MAX: wholeNumber(16, 1_000_000).default(1_024),
});

/** What the feed process is told. */
export interface FeedConfig extends z.output<typeof feedVariables> {
  /** The symbols to play and the files of each. */
  readonly recordings: Readonly<Record<string, readonly string[]>>;
}

/**
 * Settings of the feed process. Symbols that `FEED_FILE` doesn't name are played from the recordings that come with the product;
 * without `SYMBOLS` every symbol that has a recording is played.
 * @throws {ConfigError} naming every fault, symbols without a recording and missing files among them
 */
export function readFeedConfig(env: Environment): FeedConfig {
  const config = readConfig(feedVariables, env);
  const available: Readonly<Record<string, readonly string[]>> = { ...bundledRecordings(), ...config.FEED_FILE };
  const symbols = config.SYMBOLS ?? knownSymbols.filter((symbol) => available[symbol] !== undefined);
  const silent = symbols.filter((symbol) => available[symbol] === undefined);
  if (silent.length > 0 || symbols.length === 0) {
    throw new ConfigError([{ variable: 'FEED_FILE', message: `no recording of ${silent.join(', ') || 'any symbol'}` }]);
  }
  return { ...config, recordings: Object.fromEntries(symbols.map((symbol) => [symbol, available[symbol] ?? []])) };
}

const storeVariables = {
  ...commonVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
  SYMBOLS: symbolList.default([...knownSymbols]),
};

const recorderVariables = z.object(storeVariables);

/** What the recorder process is told. */
export type RecorderConfig = z.output<typeof recorderVariables>;

/**
 * Settings of the recorder process; without `SYMBOLS` it follows every symbol of the instrument table.
 * @throws {ConfigError} naming every fault
 */
export function readRecorderConfig(env: Environment): RecorderConfig {
  return readConfig(recorderVariables, env);
}

const rpcVariables = z.object({ ...storeVariables, FEED_ADDRESS: address, RECORDER_ADDRESS: address });

/** What the RPC process is told. */
export type RpcConfig = z.output<typeof rpcVariables>;

/**
 * Settings of the RPC process; without `SYMBOLS` it serves every symbol of the instrument table.
 * @throws {ConfigError} naming every fault
 */
export function readRpcConfig(env: Environment): RpcConfig {
  return readConfig(rpcVariables, env);
}
