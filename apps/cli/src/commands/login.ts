import { CliCommand } from '../arguments/cli-command';
import { readServiceSettings, withServiceOptions, type ClientSettings } from '../client/settings';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { logIn } from '../access/log-in';

/** `login`: keeps a service and a key that works. */
export function loginCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withServiceOptions(new CliCommand('login'))
    .summary('keep a service and a key for later commands')
    .description(
      'Asks for a key without showing it, or reads it from stdin; calls the service with it, and keeps both in a profile that you alone ' +
        `may read: ${io.profileFile}. MARKET_STATE_URL and MARKET_STATE_API_KEY come before it. Costs nothing.`,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state login --url https://api.example.com\n  $ market-state login --url http://127.0.0.1:8080 < key-file\n',
    )
    .runs<Pick<ClientSettings, 'url' | 'dataDir'>>(
      (operands, options, fault) => {
        if (operands.length > 0) fault('it takes no arguments: a key on the command line is seen by every user of the machine');
        return readServiceSettings(options, fault);
      },
      (settings) => logIn(settings, io),
      onExitCode,
    );
}
