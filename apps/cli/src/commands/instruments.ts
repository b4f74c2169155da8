import { resolve } from 'node:path';
import {
  chooseSymbols,
  discoverInstruments,
  type Discovery,
  type InstrumentRow,
  instrumentRows,
  instrumentTableText,
  ListingError,
  restAddressOf,
  venues,
} from '@market-state/market-data';
import { listingAnswers, VenueError } from '@market-state/venues';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { choiceOption, listOption, type Options, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode, incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { withOutput } from '../io/line-output';
import { wholeTable } from '../io/table';
import { readInstrumentTable } from '../live/live-settings';

const FORMATS = ['table', 'json'] as const;

const LISTED_FEEDS = [
  ...new Set(venues.flatMap(({ live }) => (live?.listing === undefined || live.publicUrls === undefined ? [] : [live.feed]))),
];

interface InstrumentsSettings {
  readonly feeds: readonly string[];
  readonly words: readonly string[];
  readonly table: readonly InstrumentRow[];
  readonly out?: string;
  readonly output: (typeof FORMATS)[number];
}

export function instrumentsCommand(): CliCommand {
  return new CliCommand('instruments')
    .summary('list the perpetuals of venues, and make the instrument table that the service reads')
    .description(
      "Reads the venues' own metadata: ticks, lots, contract values, funding intervals, listing dates and day volumes. With --out, writes a\n" +
        'table for INSTRUMENTS_FILE, which every process of the service must read. Multiplied names (kPEPE, 1000PEPE) have the symbol of\n' +
        'their coin, and the multiplier as a fact. Needs no running system and no key.',
    )
    .requiredOption('--feed <list>', `comma-separated feeds: ${LISTED_FEEDS.join(', ')}`)
    .option('--symbols <list>', 'coins, symbols, patterns with *, top:N by 24-hour volume, all; ! excludes (default: all)')
    .option('--instruments <file>', 'current table, whose rows keep their symbols and limits (default: the bundled one)')
    .option('--out <file>', 'write the table to this file')
    .outputOption('output format: table or json', FORMATS, 'table')
    .addHelpText(
      'after',
      "\nExample:\n  $ market-state instruments --feed hyperliquid --symbols 'top:50,!FARTCOIN' --out instruments.json\n",
    )
    .runs<InstrumentsSettings>(readSettings, listInstruments);
}

function readSettings(_operands: readonly string[], options: Options, fault: Fault, { cwd }: CliIo): InstrumentsSettings {
  const tableFile = textOption(options, 'instruments');
  const feeds = listOption(options, 'feed');
  const unknown = feeds.filter((feed) => !LISTED_FEEDS.includes(feed));
  if (unknown.length > 0 || feeds.length === 0)
    fault(`--feed must be a comma-separated list of ${LISTED_FEEDS.join(', ')}, not ${JSON.stringify(unknown.join(','))}`);
  return {
    feeds,
    words: listOption(options, 'symbols'),
    table: tableFile === undefined ? instrumentRows : readInstrumentTable(resolve(cwd, tableFile), fault),
    out: textOption(options, 'out'),
    output: choiceOption(options, 'output', FORMATS, fault),
  };
}

async function listInstruments({ feeds, words, table, out, output }: InstrumentsSettings, io: CliIo): Promise<ExitCode> {
  const found = await discover(feeds, table, io);
  const listed = found.rows.filter(({ feed }) => feeds.includes(feed));
  const { chosen, faults } = chooseSymbols(
    words,
    listed.map((row) => ({ symbol: row.symbol, row })),
  );
  if (faults.length > 0) throw badInput(...faults.map((sentence) => `--symbols: ${sentence}`));
  const rows = chosen.map(({ row }) => row);
  const others = found.rows.filter(({ feed }) => !feeds.includes(feed));
  if (out !== undefined)
    await withOutput(io, out, async (file) => {
      for (const line of instrumentTableText([...others, ...rows])
        .trimEnd()
        .split('\n'))
        await file.write(line);
    });
  if (output === 'json') io.stdout.write(instrumentTableText(rows));
  else for (const line of tableLines(rows)) io.stdout.write(`${line}\n`);
  for (const { venue, venueInstrument, reason } of found.leftOut) io.stderr.write(`${venue}: left out: ${venueInstrument} ${reason}\n`);
  io.stderr.write(`${counted(rows.length, 'instrument')}${out === undefined ? '' : `; table written to ${out}`}\n`);
  return EXIT.done;
}

async function discover(feeds: readonly string[], rows: readonly InstrumentRow[], io: CliIo): Promise<Discovery> {
  try {
    return await discoverInstruments({
      feeds,
      rows,
      ask: (venue, requests) => listingAnswers(restAddressOf(venue, io.venueVariables ?? {}), requests, io.signal),
    });
  } catch (error) {
    if (error instanceof VenueError || error instanceof ListingError) throw incomplete(error.message);
    throw error;
  }
}

function tableLines(rows: readonly InstrumentRow[]): readonly string[] {
  const cells = rows.map(({ symbol, venue, venueInstrument, contractValue, contractSize, facts }) => [
    symbol,
    venue,
    venueInstrument,
    facts?.multiplier ?? '-',
    contractValue === undefined ? (contractSize ?? '-') : `${contractValue} USD`,
    facts?.tickSize ?? '-',
    facts?.lotSize ?? '-',
    facts?.fundingIntervalHours === undefined ? '-' : `${facts.fundingIntervalHours} h`,
    facts?.listedMs === undefined ? '-' : new Date(facts.listedMs).toISOString().slice(0, 10),
    facts?.dayVolumeUsd === undefined ? '-' : String(Math.round(Number(facts.dayVolumeUsd))),
  ]);
  return wholeTable(
    ['symbol', 'venue', 'instrument', 'coins a unit', 'contract', 'tick', 'lot', 'funding', 'listed', 'day volume, USD'],
    cells,
    9,
  );
}
