import { silentLogger } from '@market-state/logging';
import { instrumentRows, type PlayedInstrument, contractValuesOf, urlsBelow, venueOf, venues } from '@market-state/market-data';
import { createVenueSource, type VenueSource } from '@market-state/venues';
import type { CliCommand, Fault } from '../arguments/cli-command';
import { choiceOption, numberOption, type Options, textOption } from '../arguments/values';

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
  return createVenueSource(name, { wsUrl, restUrl, contractValues: contractValuesOf(instruments), logger: silentLogger() });
}

export interface LiveSettings {
  readonly venue: string;
  /** Absent: the venue's public address. */
  readonly url?: string;
  /** One per symbol. */
  readonly instruments: readonly PlayedInstrument[];
  readonly seconds?: number;
}

const SECONDS_MAX = 2_592_000;

export function withLiveOptions(command: CliCommand): CliCommand {
  return command
    .requiredOption('--venue <venue>', `one of ${LIVE_VENUES.join(', ')}`)
    .option('--symbols <list>', 'comma-separated symbols (default: all of the venue in the instrument table)')
    .option('--url <url>', 'http(s)://host:port of the venue (default: its public address; the simulated venue has none)');
}

export function readLiveSettings(options: Options, fault: Fault): LiveSettings {
  const venue = choiceOption(options, 'venue', LIVE_VENUES, fault);
  const url = textOption(options, 'url');
  if (url !== undefined && !isVenueUrl(url))
    fault(`--url must look like http://127.0.0.1:8080 or https://host, not ${JSON.stringify(url)}`);
  if (url === undefined && !hasPublicAddress(venue)) fault(`--url is required for the ${venue} venue, which has no public address`);
  const seconds = numberOption(options, 'seconds', { min: 1, max: SECONDS_MAX, integer: false }, fault);
  return { venue, url, instruments: instrumentsOf(venue, textOption(options, 'symbols'), fault), seconds };
}

function isVenueUrl(text: string): boolean {
  return /^https?:\/\/[A-Za-z0-9.:[\]-]+\/?$/.test(text) && URL.canParse(text);
}

function instrumentsOf(venue: string, list: string | undefined, fault: Fault): readonly PlayedInstrument[] {
  const rows = instrumentRows.filter((row) => row.feed !== 'recording' && row.venue === venue);
  if (list === undefined) return rows;
  const symbols = [...new Set(list.split(',').map((symbol) => symbol.trim()))];
  const found = symbols.flatMap((symbol) => rows.filter((row) => row.symbol === symbol));
  const unknown = symbols.filter((symbol) => !found.some((row) => row.symbol === symbol));
  if (unknown.length > 0)
    fault(
      `--symbols: the instrument table has no ${unknown.map((symbol) => JSON.stringify(symbol)).join(', ')} for ${venue}; it has ` +
        `${rows.map(({ symbol }) => symbol).join(', ')}`,
    );
  return found;
}
