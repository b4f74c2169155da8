import { signingKeyLine } from '@market-state/labeler';
import { CliCommand } from '../arguments/cli-command';
import { textOption } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import { dumpSymbol, type Dumped } from '../dump/dump-symbol';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import { withOutput } from '../io/line-output';
import { createProgress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { withCliErrors } from '../verify/as-cli-error';
import { readSystemSettings, type SystemSettings, withSystemOptions } from '../verify/system-settings';

interface DumpSettings extends SystemSettings {
  readonly out?: string;
}

/** `dump`: what a running system keeps of a span, as lines that `verify` and others read. */
export function dumpCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withSystemOptions(new CliCommand('dump'))
    .summary('write what a running system stores of a span, to verify it elsewhere')
    .description(
      'Writes the public keys, log entries, checkpoints and packets of a span as a running system stores them, one line each: ' +
        'market_state_signing_key.v1, market_state_row.v1, market_state_checkpoint.v1, market_state_packet_row.v1.\n' +
        'The span is the hour up to the newest packet, as with verify, and the entries begin where verify begins: at the newest ' +
        'checkpoint before the span. --from at or before the first packet begins at the first entry of the log.\n' +
        'Packets whose last entries are not recorded yet are left out and counted on stderr.',
    )
    .option('--out <file>', 'write there instead of to stdout; gzip when the name ends in .gz')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state dump --out dump.ndjson.gz && market-state verify dump.ndjson.gz\n' +
        '  $ market-state dump --from 0 --out dump.ndjson && python3 tools/reference/label.py dump.ndjson --compare dump.ndjson\n',
    )
    .runs<DumpSettings>(
      (operands, options, fault) => {
        for (const operand of operands) fault(`dump reads no files: ${operand}`);
        return { ...readSystemSettings(options, fault), out: textOption(options, 'out') };
      },
      (settings) => withCliErrors(() => dump(settings, io)),
      onExitCode,
    );
}

async function dump(settings: DumpSettings, io: CliIo): Promise<ExitCode> {
  const policy = await readPolicy(settings.policy, io.cwd);
  const progress = createProgress(io);
  const { withSystemSources } = await import('../verify/system-sources');
  try {
    await withOutput(io, settings.out, (output) =>
      withSystemSources(settings, io, async (sources) => {
        await output.write(...[...(await sources.keys()).values()].map(signingKeyLine));
        for await (const source of sources.symbols) {
          const onProgress = (entryTotal: number): void => progress.tell(() => `${source.symbol}: ${count(entryTotal)} entries`);
          const dumped = await dumpSymbol(source, { policy, onProgress }, output);
          if (dumped === null) return;
          progress.end();
          io.stderr.write(
            describe(dumped)
              .map((sentence) => `${source.symbol}: ${sentence}\n`)
              .join(''),
          );
        }
      }),
    );
  } finally {
    progress.end();
  }
  return EXIT.done;
}

function describe({ entryTotal, packetTotal, checkpointTotal, awaitingTotal, otherChainUntilMs }: Dumped): readonly string[] {
  const sentences = [
    `${counted(entryTotal, 'entry', 'entries')}, ${counted(packetTotal, 'packet')}, ${counted(checkpointTotal, 'checkpoint')}`,
  ];
  if (awaitingTotal > 0)
    sentences.push(`${counted(awaitingTotal, 'newest packet')} left out: the entries that close them are not recorded yet`);
  if (otherChainUntilMs !== null)
    sentences.push(`packets up to ${instant(otherChainUntilMs)} left out: they belong to the chain of another policy`);
  return sentences;
}
