import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FEED_NAMES } from '../src/instrument-rows';
import { recordingFormats } from '../src/recordings/open-recording';
import { addressVariables, liveVenueOf, urlsBelow, venueOf, venues } from '../src/venues';

const page = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

/** Cells of the table under a heading, without the header. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function words(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

test('the table of venues in the README is the registry', () => {
  expect(tableUnder('Venues')).toEqual(
    venues.map((venue) => [
      words([venue.name]),
      words(venue.live === undefined ? [] : [venue.live.feed]),
      words(venue.formats.map(({ id }) => id)),
      words(Object.values(addressVariables(venue) ?? {})),
    ]),
  );
});

test('the table of formats in the README has a line for each format, and for no other', () => {
  const described = tableUnder('Formats of recordings').flatMap(([id = '']) => (id.startsWith('`') ? [id.replaceAll('`', '')] : []));
  expect(described.sort()).toEqual(recordingFormats.map(({ id }) => id).sort());
});

test('recordings and every venue that is played live are feeds', () => {
  expect(FEED_NAMES).toEqual(expect.arrayContaining(['recording', 'simulated', 'hyperliquid', 'binance']));
  expect(FEED_NAMES).toEqual([...new Set(['recording', ...venues.flatMap(({ live }) => live?.feed ?? []), 'import'])]);
});

test('a venue has one name, and its rows of the instrument table are its own or its feed’s', () => {
  const names = venues.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  for (const { live } of venues)
    for (const row of live?.rows ?? []) {
      expect(row).toMatchObject({ feed: live?.feed });
      expect(venues.filter((venue) => venue.live?.feed === live?.feed).map(({ name }) => name)).toContain((row as { venue: string }).venue);
    }
});

test('the address of a socket follows from that of the REST routes', () => {
  const urlsOf = (name: string, url: string): unknown => {
    const venue = venueOf(name);
    return venue && urlsBelow(venue, url);
  };
  expect(urlsOf('simulated', 'http://127.0.0.1:1')).toEqual({ restUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1/ws' });
  expect(urlsOf('binance-usdm', 'https://venue.example/')).toEqual({ restUrl: 'https://venue.example/', wsUrl: 'wss://venue.example' });
  for (const venue of venues) {
    const { publicUrls } = venue.live ?? {};
    if (publicUrls !== undefined) expect(publicUrls.wsUrl.endsWith(venue.live?.socketPath ?? '')).toBe(true);
  }
});

test('a venue that is not known has no live messages', () => {
  expect(() => liveVenueOf('nowhere')).toThrow('venue nowhere has no live messages');
});
