import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { silentLogger } from '@market-state/logging';
import {
  chooseSymbols,
  contractValuesOf,
  type InstrumentRow,
  instrumentRows,
  InstrumentTableError,
  listingReasons,
  parseInstrumentRows,
  type PlayedInstrument,
  urlsBelow,
  venueOf,
  venues,
} from '@market-state/market-data';
import { createVenueSource, type VenueSource } from '@market-state/venues';
import type { CliCommand, Fault } from '../arguments/cli-command';
import { choiceOption, numberOption, type Options, textOption } from '../arguments/values';
import type { CliIo } from '../io/cli-io';
import { readResultFormat, type ResultFormat, withResultOption } from '../output/settings';

const names = venues.filter(({ live }) => live !== undefined).map(({ name }) => name);

function hasPublicAddress(venue: string): boolean {
  return venueOf(venue)?.live?.publicUrls !== undefined;
}

/** Venues with known live messages, those with a public address first. */
const LIVE_VENUES = [
  ...names.filter(hasPublicAddress),
  ...names.filter((name) => !hasPublicAddress(name)),
] as readonly string[] as readonly [string, ...string[]];

/**
 * @param url required if the venue has no public address
 * @throws RangeError if there is neither
 */
export function openSource(name: string, url: string | undefined, instruments: readonly PlayedInstrument[]): VenueSource {
  const venue = venueOf(name);
  const urls = venue === undefined || url === undefined ? venue?.live?.publicUrls : urlsBelow(venue, url);
  if (urls === undefined) throw new RangeError(`${name} has no public address`);
  const { wsUrl, restUrl } = urls;
  return createVenueSource(name, {
    wsUrl,
    restUrl,
    contractValues: contractValuesOf(instruments),
    metadata: listingReasons(name, instruments),
    logger: silentLogger(),
  });
}

export interface LiveSettings {
  readonly venue: string;
  /** Absent: the venue's public address. */
  readonly url?: string;
  /** One per symbol. */
  readonly instruments: readonly PlayedInstrument[];
  readonly seconds?: number;
  readonly format: ResultFormat;
}

const SECONDS_MAX = 2_592_000;

export function withLiveOptions(command: CliCommand): CliCommand {
  return withResultOption(command)
    .requiredOption('--venue <venue>', `one of ${LIVE_VENUES.join(', ')}`)
    .option('--symbols <list>', 'comma-separated symbols, coins, patterns or top:N (default: all of the venue in the instrument table)')
    .option('--instruments <file>', 'instrument table, as made by market-state instruments (default: the bundled one)')
    .option('--url <url>', 'http(s)://host:port of the venue (default: its public address; the simulated venue has none)');
}

export function readLiveSettings(_operands: readonly string[], options: Options, fault: Fault, { cwd }: CliIo): LiveSettings {
  const venue = choiceOption(options, 'venue', LIVE_VENUES, fault);
  const url = textOption(options, 'url');
  if (url !== undefined && !isVenueUrl(url))
    fault(`--url must look like http://127.0.0.1:8080 or https://host, not ${JSON.stringify(url)}`);
  if (url === undefined && !hasPublicAddress(venue)) fault(`--url is required for the ${venue} venue, which has no public address`);
  const seconds = numberOption(options, 'seconds', { min: 1, max: SECONDS_MAX, integer: false }, fault);
  return { venue, url, instruments: instrumentsOf(venue, options, fault, cwd), seconds, format: readResultFormat(options, fault) };
}

function isVenueUrl(text: string): boolean {
  return /^https?:\/\/[A-Za-z0-9.:[\]-]+\/?$/.test(text) && URL.canParse(text);
}

function instrumentsOf(venue: string, options: Options, fault: Fault, cwd: string): readonly PlayedInstrument[] {
  const file = textOption(options, 'instruments');
  const table = file === undefined ? instrumentRows : readInstrumentTable(resolve(cwd, file), fault);
  const rows = table.filter((row) => row.feed !== 'recording' && row.venue === venue);
  const words = (textOption(options, 'symbols') ?? 'all').split(',').map((word) => word.trim());
  const { chosen, faults } = chooseSymbols(
    words,
    rows.map((row) => ({ symbol: row.symbol, row })),
  );
  for (const sentence of faults) fault(`--symbols: the instrument table of ${venue}: ${sentence}`);
  return chosen.map(({ row }) => row);
}

/** Reports every fault of the table; the rows are then empty. */
export function readInstrumentTable(path: string, fault: Fault): readonly InstrumentRow[] {
  try {
    return parseInstrumentRows(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof InstrumentTableError) for (const sentence of error.faults) fault(`--instruments: ${path}: ${sentence}`);
    else fault(`--instruments: ${path} cannot be read`);
    return [];
  }
}
