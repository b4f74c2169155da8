import { type ReportSample, sampleOf, WindowVolumes } from '@market-state/packet-figures';
import { renderReport, ReportError } from '@market-state/report';
import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import { INSTRUMENT_OPTION, readChosen } from '../io/open-files';
import { openPackets, type PacketSourceSettings } from '../io/packet-source';
import { createProgress } from '../io/progress';
import { readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';

interface ReportSettings extends PacketSourceSettings {
  readonly format: ResultFormat;
  readonly title?: string;
  readonly out: string;
}

export function reportCommand(): CliCommand {
  return withResultOption(new CliCommand('report'))
    .summary('plot packets or a recording on one HTML page')
    .description(
      'Writes one self-contained HTML page with price and state spans, event classes, scores against thresholds, margins and severity, ' +
        'plus tables of shares, dwell, flips, transitions and calibration.\n' +
        'Packet rows are used as they are and other lines are skipped. Recordings and rows without packets are labelled first.',
    )
    .argument('<files...>', 'market_state_packet_row.v1 lines, or recordings, or market_state_row.v1 lines')
    .requiredOption('--out <file>', 'output file')
    .option('--symbol <symbol>', 'symbol to report on; required if the files have several')
    .option(...INSTRUMENT_OPTION)
    .option('--policy <policy>', 'policy to label a recording with (default: the shipped policy)')
    .option('--title <text>', 'page heading')
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state report packets.ndjson --out report.html\n  $ market-state report recording.gz --out report.html\n',
    )
    .runs<ReportSettings>(
      (files, options, fault) => ({
        files,
        ...readChosen(options, fault),
        policy: textOption(options, 'policy'),
        title: textOption(options, 'title'),
        out: textOption(options, 'out') ?? '',
        format: readResultFormat(options, fault),
      }),
      report,
    );
}

async function report(settings: ReportSettings, io: CliIo): Promise<ExitCode> {
  using progress = createProgress(io);
  const { steps, source } = await openPackets(settings, io, progress);
  const samples: ReportSample[] = [];
  const volumes = new WindowVolumes();
  for await (const batch of steps) {
    for (const { entry, packets } of batch) {
      if (entry !== undefined) volumes.addEntry(entry);
      for (const packet of packets)
        samples.push(sampleOf(packet, entry === undefined ? null : volumes.take(Date.parse(packet.scope.window_end_utc))));
    }
  }
  const title = settings.title ?? `Market state of ${samples[0]?.symbol ?? 'no symbol'}`;
  const page = render(samples, { title, source });
  await withOutput(io, settings.out, (output) => output.write(page.trimEnd()));
  writeResult(io, settings.format, { file: settings.out, packet_total: samples.length }, []);
  return EXIT.done;
}

function render(...args: Parameters<typeof renderReport>): string {
  try {
    return renderReport(...args);
  } catch (error) {
    throw error instanceof ReportError ? badInput(error.message) : error;
  }
}
