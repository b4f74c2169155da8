import { readFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  address,
  addressList,
  commaList,
  commonVariables,
  ConfigError,
  type ConfigFault,
  type Environment,
  postgresUrl,
  readConfig,
  redisUrl,
  requireRpcProof,
  rpcSettingsOf,
  rpcVariables,
  wholeNumber,
} from '@market-state/config';
import {
  type FilesBySymbol,
  readMarket,
  readServedSettings,
  readShardSettings,
  type ServedInstrument,
  type ShardRule,
  type InstrumentRow,
  type VenueUrls,
  addressVariables,
  urlsBelow,
  venueOf,
  venues,
  bundledFiles,
} from '@market-state/market-data';
import { z } from 'zod';
import { archiveVariables, packetRetentionVariables, refuseShortArchive, retentionVariables } from './archive/archive-settings';

function url(...schemes: readonly string[]) {
  const isOne = (text: string): boolean => URL.canParse(text) && schemes.includes(new URL(text).protocol);
  return z.string().refine(isOne, `must be a URL starting with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
}
const webSocketUrl = url('ws:', 'wss:');
const httpUrl = url('http:', 'https:');

const variables = venues.flatMap((venue) => {
  const [names, publicUrls] = [addressVariables(venue), venue.live?.publicUrls];
  return names === undefined || publicUrls === undefined ? [] : [{ venue: venue.name, names, publicUrls }];
});

export const venueUrlVariables = z.object(
  Object.fromEntries(
    variables.flatMap(({ names, publicUrls }) => [
      [names.ws, webSocketUrl.default(publicUrls.wsUrl)],
      [names.rest, httpUrl.default(publicUrls.restUrl)],
    ]),
  ),
);

export function venueUrlsOf(
  read: z.output<typeof venueUrlVariables>,
  simulatedAddress: string | undefined,
): Readonly<Record<string, VenueUrls>> {
  const named = variables.map(({ venue, names }) => [venue, { wsUrl: read[names.ws] ?? '', restUrl: read[names.rest] ?? '' }]);
  const simulated = venueOf('simulated');
  const own =
    simulated === undefined || simulatedAddress === undefined ? [] : [[simulated.name, urlsBelow(simulated, `http://${simulatedAddress}`)]];
  return Object.fromEntries([...named, ...own]);
}

const startMsMax = Date.UTC(2100, 0);
const historyMinutesMax = 120;

const feedSpeed = z.string().transform((text, context) => {
  if (text === 'max') return 'max' as const;
  if (/^\d{1,6}(\.\d{1,6})?$/.test(text) && Number(text) > 0) return Number(text);
  context.addIssue({ code: 'custom', message: 'must be a positive number or max' });
  return z.NEVER;
});

const feedStart = z.union([z.literal('recorded'), wholeNumber(0, startMsMax)], {
  error: `must be recorded or a whole number, 0..${startMsMax}`,
});

/** `none`: the feed waits for no consumer. */
const consumerList = commaList.transform((consumers) => consumers.filter((consumer) => consumer !== 'none'));

export function serviceSettingsOf(config: Pick<FeedConfig, 'LOG_LEVEL' | 'OPS_PORT' | 'OPS_HOST'> & Parameters<typeof rpcSettingsOf>[0]) {
  return { logLevel: config.LOG_LEVEL, rpc: rpcSettingsOf(config), opsPort: config.OPS_PORT, opsHost: config.OPS_HOST };
}

const stores = { ...commonVariables, ...rpcVariables, DATABASE_URL: postgresUrl, REDIS_URL: redisUrl };

const feedVariables = z
  .object({
    ...stores,
    FEED_SPEED: feedSpeed.default(1),
    FEED_START: feedStart.optional(),
    FEED_HISTORY_MINUTES: wholeNumber(1, historyMinutesMax).optional(),
    FEED_CONSUMERS: consumerList.default(['recorder', 'labeling']),
    FEED_MEMORY_MB_MAX: wholeNumber(16, 1_000_000).default(1_024),
    SIMULATED_VENUE_ADDRESS: address.optional(),
  })
  .superRefine(requireRpcProof);

interface Served {
  readonly served: readonly ServedInstrument[];
  readonly SYMBOLS: readonly string[];
}

export interface FeedConfig extends z.output<typeof feedVariables>, Served {
  readonly venueUrls: Readonly<Record<string, VenueUrls>>;
  readonly rows: readonly InstrumentRow[];
  /** Markets and their files. */
  readonly recordings: FilesBySymbol;
}

/**
 * Symbols not in `FEED_FILE` use the bundled recordings; without `SYMBOLS`, everything playable is played.
 * @throws {ConfigError} listing every fault, including missing recordings and files
 */
export function readFeedConfig(env: Environment): FeedConfig {
  const faults: ConfigFault[] = [];
  const { served: all, files, rows } = servedOf(env, faults);
  const symbols = ofShard(
    env,
    all.map(({ symbol }) => symbol),
    faults,
    { hasStandbys: true },
  );
  const served = all.filter(({ symbol }) => symbols.includes(symbol));
  const config = gather(faults, () => readConfig(feedVariables, env));
  const publicUrls = gather(faults, () => readConfig(venueUrlVariables, env));
  const available: FilesBySymbol = { ...bundledRecordings(), ...files };
  const recorded = served.filter(({ feed }) => feed === 'recording').map(({ symbol }) => symbol);
  const filesOf = (market: string): readonly string[] | undefined => available[readMarket(market).symbol];
  const silent = recorded.filter((market) => filesOf(market) === undefined);
  if (silent.length > 0) faults.push({ variable: 'FEED_FILE', message: `no recording for ${silent.join(', ')}` });
  missingFiles(files).forEach((file) => faults.push({ variable: 'FEED_FILE', message: `no such file: ${file}` }));
  if (served.some(({ feed }) => feed === 'simulated') && config?.SIMULATED_VENUE_ADDRESS === undefined && !env['SIMULATED_VENUE_ADDRESS']) {
    faults.push({ variable: 'SIMULATED_VENUE_ADDRESS', message: 'must be set if a simulated symbol is served' });
  }
  if (config === undefined || publicUrls === undefined || faults.length > 0) throw new ConfigError(faults);
  const recordings = Object.fromEntries(recorded.map((market) => [market, filesOf(market) ?? []]));
  const venueUrls = venueUrlsOf(publicUrls, config.SIMULATED_VENUE_ADDRESS);
  return { ...config, venueUrls, rows, recordings, served, SYMBOLS: symbols };
}

const recorderVariables = z
  .object({ ...stores, ...archiveVariables, ...retentionVariables })
  .superRefine(refuseShortArchive)
  .superRefine(requireRpcProof);

export interface RecorderConfig extends z.output<typeof recorderVariables>, Served {
  readonly recordedSymbols: readonly string[];
}

/** @throws {ConfigError} listing every fault */
export function readRecorderConfig(env: Environment): RecorderConfig {
  const faults: ConfigFault[] = [];
  const config = gather(faults, () => readServing(recorderVariables, env));
  const recordedSymbols = ofShard(env, config?.SYMBOLS ?? [], faults);
  if (config === undefined || faults.length > 0) throw new ConfigError(faults);
  return { ...config, recordedSymbols };
}

const dataPlaneVariables = z
  .object({
    ...stores,
    FEED_ADDRESS: addressList,
    RECORDER_ADDRESS: addressList,
    LABELING_ADDRESS: addressList.optional(),
    ...archiveVariables,
    ...retentionVariables,
    ...packetRetentionVariables,
  })
  .superRefine(requireRpcProof);

export type RpcConfig = z.output<typeof dataPlaneVariables> & Served;

/** @throws {ConfigError} listing every fault */
export function readRpcConfig(env: Environment): RpcConfig {
  return readServing(dataPlaneVariables, env);
}

function readServing<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.output<Schema> & Served {
  const faults: ConfigFault[] = [];
  const { served } = servedOf(env, faults);
  const config = gather(faults, () => readConfig(schema, env));
  if (config === undefined || faults.length > 0) throw new ConfigError(faults);
  return { ...config, served, SYMBOLS: served.map(({ symbol }) => symbol) };
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function ofShard(
  { SHARD_COUNT, SHARD_INDEX, SHARDS_FILE }: Environment,
  served: readonly string[],
  faults: ConfigFault[],
  rule: ShardRule = {},
): readonly string[] {
  const shard = readShardSettings({ SHARD_COUNT, SHARD_INDEX, SHARDS_FILE }, served, readText, rule);
  faults.push(...shard.faults);
  return shard.symbols;
}

function servedOf({ FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE }: Environment, faults: ConfigFault[]) {
  const settings = readServedSettings({ FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE }, readText);
  faults.push(...settings.faults);
  return settings;
}

function gather<Config>(faults: ConfigFault[], read: () => Config): Config | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

function missingFiles(files: FilesBySymbol): string[] {
  return Object.values(files)
    .flat()
    .filter((file) => !existsSync(file));
}

const bundledFolder = join('libs', 'domain', 'market-data', 'recordings', 'binance-coinm');

/** Searches the folders above the running file, so that both sources and bundles find them; empty if there are none. */
export function bundledRecordings(): Record<string, readonly string[]> {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const found = join(at, bundledFolder);
    if (existsSync(found))
      return Object.fromEntries(Object.entries(bundledFiles).map(([symbol, names]) => [symbol, names.map((file) => join(found, file))]));
    if (at === dirname(at)) return {};
  }
}
