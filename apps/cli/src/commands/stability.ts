import { basename } from 'node:path';
import type { Packet } from '@market-state/labeler';
import { sampleOf, StabilityError, StabilityTally } from '@market-state/report';
import { CliCommand } from '../arguments/cli-command';
import { symbolOption, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import { ndjsonLine } from '../io/ndjson';
import { createProgress, type Progress } from '../io/progress';
import { recordingFiles } from '../io/recording-files';
import { openPacketsOfSymbols, type PacketSourceSettings } from '../report/packet-source';
import { stabilityTable, type StabilityRow } from '../report/stability-row';

interface StabilitySettings {
  readonly inputs: readonly string[];
  readonly symbol?: string;
  readonly policy?: string;
  readonly json: boolean;
  readonly out?: string;
}

/** `stability`: how steady the labels of recordings or packets are. */
export function stabilityCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return new CliCommand('stability')
    .summary('measure how steady labels are: flips, dwell, shares, and severity against what came next')
    .description(
      'Labels recordings or rows, or takes packets as they are, and prints a row for each input and symbol, and one of all together.\n' +
        'Live packets are those in which neither insufficient_evidence nor replay_context_ready won; every figure is of them.\n' +
        '  flips/h       changes of the published state an hour; into and out of those two are not counted\n' +
        '  class/h       changes of the event class an hour\n' +
        '  dwell s       median length of the runs of one published state\n' +
        '  not winner %  packets whose published state is not their raw winner\n' +
        '  high %        packets of severity high_context or critical_context\n' +
        '  rank corr.    Spearman, of severity and the realized volatility of the next 60 s: the square root of the summed squares of six\n' +
        '                log returns of the mid, one a window',
    )
    .argument('<inputs...>', 'files; several of one recording joined by commas, or a folder of them')
    .option('--symbol <symbol>', 'this symbol alone')
    .option('--policy <folder>', 'policy to label with; without it, the shipped policy')
    .option('--json', 'a line of JSON for each row, with every share')
    .option('--out <file>', 'write there instead of to stdout')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state stability btcusd_perp_20240808.gz,btcusd_perp_20240809.gz\n' +
        '  $ market-state scenario set --out set.ndjson && market-state stability set.ndjson\n',
    )
    .runs<StabilitySettings>(
      (inputs, options, fault) => ({
        inputs,
        symbol: symbolOption(options, fault),
        policy: textOption(options, 'policy'),
        json: options['json'] === true,
        out: textOption(options, 'out'),
      }),
      (settings) => stability(settings, io),
      onExitCode,
    );
}

async function stability(settings: StabilitySettings, io: CliIo): Promise<ExitCode> {
  const progress = createProgress(io);
  const together = new StabilityTally();
  const rows: StabilityRow[] = [];
  try {
    for (const input of settings.inputs) {
      const files = await recordingFiles(input, io);
      for (const [symbol, tally] of await measure({ ...settings, files }, io, progress)) {
        rows.push({ input: files.map((file) => basename(file)).join(','), symbol, ...tally.result() });
        together.include(tally);
      }
    }
  } finally {
    progress.end();
  }
  if (rows.length > 1) rows.push({ input: null, symbol: null, ...together.result() });
  return withOutput(io, settings.out, async (output) => {
    await output.write(...(settings.json ? rows.map((row) => ndjsonLine('market_state_stability.v1', row)) : stabilityTable(rows)));
    return EXIT.done;
  });
}

/** A tally for each symbol. */
async function measure(settings: PacketSourceSettings, io: CliIo, progress: Progress): Promise<ReadonlyMap<string, StabilityTally>> {
  const tallies = new Map<string, StabilityTally>();
  for (const { packets } of await openPacketsOfSymbols(settings, io, progress)) {
    for await (const batch of packets) {
      for (const packet of batch) {
        const tally = tallies.get(packet.symbol) ?? new StabilityTally();
        tallies.set(packet.symbol, tally);
        add(tally, packet);
      }
    }
  }
  if (tallies.size === 0) throw badInput(`${settings.files.join(', ')}: there is no packet of ${settings.symbol ?? 'any symbol'}`);
  return tallies;
}

function add(tally: StabilityTally, packet: Packet): void {
  try {
    tally.add(sampleOf(packet));
  } catch (error) {
    throw error instanceof StabilityError ? badInput(`${packet.symbol}: ${error.message}`) : error;
  }
}
