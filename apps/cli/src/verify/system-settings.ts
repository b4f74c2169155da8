import type { Span } from '@market-state/labeler';
import type { CliCommand, Fault } from '../arguments/cli-command';
import { addressOption, instantOption, symbolOption, textOption, type Options } from '../arguments/values';

/** Which packets are meant, and where a running system keeps them. */
export interface SystemSettings {
  readonly symbol?: string;
  readonly span: Partial<Span>;
  readonly policy?: string;
  readonly dataDir?: string;
  readonly labeling?: string;
  readonly dataPlane?: string;
}

/** The options that `readSystemSettings` reads. */
export function withSystemOptions(command: CliCommand): CliCommand {
  return command
    .option('--symbol <symbol>', 'this symbol only')
    .option('--from <time>', 'first window end, inclusive: UTC time or epoch milliseconds')
    .option('--to <time>', 'last window end, exclusive')
    .option('--policy <policy>', 'policy the packets were made under; without it, the shipped policy')
    .option('--data-dir <folder>', 'data folder of the running system')
    .option('--labeling <host:port>', 'address of its labeling service')
    .option('--data-plane <host:port>', 'address of its data plane');
}

export function readSystemSettings(options: Options, fault: Fault): SystemSettings {
  const span = { fromMs: instantOption(options, 'from', fault), toMs: instantOption(options, 'to', fault) };
  if (span.fromMs !== undefined && span.toMs !== undefined && span.fromMs >= span.toMs) fault('--to must be after --from');
  const labeling = addressOption(options, 'labeling', 'labeling', fault);
  const dataPlane = addressOption(options, 'dataPlane', 'data-plane', fault);
  if ((labeling === undefined) !== (dataPlane === undefined)) fault('--labeling and --data-plane go together');
  return {
    symbol: symbolOption(options, fault),
    span,
    policy: textOption(options, 'policy'),
    dataDir: textOption(options, 'dataDir'),
    labeling,
    dataPlane,
  };
}
