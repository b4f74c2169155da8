import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { packetConditions, withPacketConditions } from '../reads/packet-conditions';
import { HISTORY } from '../reads/reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

/** `history`: packets of a span. */
export function historyCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withClientOptions(withPacketConditions(withReadOptions(new CliCommand('history'), [HISTORY]), ['state', 'eventClass']))
    .summary('packets of a span, oldest first')
    .description(
      'Packets of a symbol in a span, oldest first; without --from and --to those of the last hour. Pages are paid as they are read.',
    )
    .argument('[symbol]', 'without one, the default symbol of the service')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state history BTCUSD-PERP --from 2026-03-01T10:00:00Z --to 2026-03-01T11:00:00Z --output csv\n',
    )
    .runs<ReadSettings>(
      (operands, options, fault) => {
        const settings = readReadSettings(HISTORY, operands, options, fault);
        return { ...settings, params: { ...settings.params, ...packetConditions(options) } };
      },
      (settings) => runRead(settings, io),
      onExitCode,
    );
}
