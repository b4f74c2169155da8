import { CSV_HEADERS } from '@market-state/market-data';
import { createState, packetResultLine, reduce, type Packet } from '@market-state/labeler';
import { CliCommand } from '../arguments/cli-command';
import { choiceOption, textOption } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { COLUMNS_OPTION, INSTRUMENT_OPTION, type Chosen, openFiles, readChosen } from '../io/open-files';
import { count, counted, instant } from '../io/instant';
import { withOutput } from '../io/line-output';
import { createProgress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { tableHead, tableLine, type Column } from '../io/table';

/** Widths fit the longest value of each column. */
const COLUMNS: readonly Column[] = [
  { title: 'time', width: 20 },
  { title: 'state', width: 27 },
  { title: 'raw winner', width: 27 },
  { title: 'margin', width: 8, right: true },
  { title: 'event class', width: 49 },
  { title: 'severity', width: 25 },
  { title: 'confidence', width: 15 },
  { title: 'flags', width: 0 },
];

function packetTableHead(): string {
  return tableHead(COLUMNS);
}

/** Fields worth comparing from window to window. Margin, severity and confidence are 0..1. */
function packetTableLine(packet: Packet): string {
  const { event_severity: severity, confidence, state_diagnosis: diagnosis, packet_quality: quality } = packet;
  return tableLine(COLUMNS, [
    instant(Date.parse(packet.ts)),
    packet.state,
    diagnosis.winner_state,
    diagnosis.state_margin.toFixed(6),
    packet.event_class,
    `${severity.score.toFixed(6)} ${severity.severity_class}`,
    `${confidence.score.toFixed(6)} ${confidence.label}`,
    quality.gap_flags.join(','),
  ]);
}

const FORMATS = ['ndjson', 'table', 'json'] as const;

interface LabelSettings extends Chosen {
  readonly files: readonly string[];
  readonly policy?: string;
  readonly out?: string;
  readonly format: (typeof FORMATS)[number];
}

export function labelCommand(): CliCommand {
  return new CliCommand('label')
    .summary('label a recording or rows, one packet per ten seconds')
    .description(
      'Labels recordings or rows and writes market_state_packet_row.v1 lines, one packet per ten-second window. ' +
        'Needs no running system.\n' +
        'Several files are read in the given order as one log, plain text or packed (gzip, zstd, lz4, zip with one file).',
    )
    .argument('<files...>', 'recordings in a known format, or market_state_row.v1 lines')
    .option('--symbol <symbol>', 'symbol to label, or BTCUSD-PERP@okx for a secondary venue; required if the files have several')
    .option(...INSTRUMENT_OPTION)
    .option(...COLUMNS_OPTION)
    .option('--policy <policy>', 'policy folder, or one JSON file with all policy files (default: the shipped policy)')
    .outputOption('output format: ndjson, table or json (one list)', FORMATS, 'ndjson')
    .option('--out <file>', 'write to this file instead of stdout')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state label btcusd_perp_20240808.gz btcusd_perp_20240809.gz --out packets.ndjson\n' +
        '  $ market-state label rows.ndjson --symbol BTCUSD-PERP --output table | head\n' +
        '  $ market-state label book.csv trades.csv --instrument symbol=XBTUSD-PERP,venue=kraken\n' +
        '\nCSV files: one per kind of data, columns in any order, times in columns that end in _s, _ms, _us, _ns or _utc.\n' +
        CSV_HEADERS.map((header) => `  ${header}\n`).join('') +
        'docs/how-to/recording.md lists the units and the values of --instrument.\n',
    )
    .runs<LabelSettings>(
      (files, options, fault) => ({
        files,
        ...readChosen(options, fault),
        policy: textOption(options, 'policy'),
        out: textOption(options, 'out'),
        format: choiceOption(options, 'output', FORMATS, fault),
      }),
      label,
    );
}

async function label(settings: LabelSettings, io: CliIo): Promise<ExitCode> {
  const policy = await readPolicy(settings.policy, io.cwd);
  const recording = await openFiles(settings.files, settings, io);
  const state = createState(recording.symbol, policy);
  using progress = createProgress(io);
  let entryTotal = 0;
  let packetTotal = 0;
  return await withOutput(
    io,
    settings.out,
    async (output) => {
      if (settings.format === 'table') await output.write(packetTableHead());
      for await (const events of recording.events) {
        for (const event of events) {
          for (const packet of reduce(state, event)) {
            const line = settings.format === 'table' ? packetTableLine(packet.packet) : packetResultLine(packet);
            packetTotal++;
            if (!(await output.write(line))) return EXIT.done;
          }
        }
        entryTotal += events.length;
        progress.report(
          () =>
            `${recording.symbol}: ${count(entryTotal)} entries, ${count(packetTotal)} packets, at ${instant(state.log.lastTickMs ?? 0)}`,
        );
      }
      if (packetTotal === 0) throw recording.nothingLabelled();
      const { lateTotal } = state.log;
      if (lateTotal > 0)
        io.stderr.write(
          `${recording.symbol}: ${counted(lateTotal, 'event')} arrived after the window had closed and ${lateTotal === 1 ? 'is' : 'are'} in no packet\n`,
        );
      return EXIT.done;
    },
    settings.format === 'json',
  );
}
