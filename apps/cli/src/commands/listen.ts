import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import { withService } from '../client/open-service';
import type { CliIo } from '../io/cli-io';
import { type ListenSettings, readListenSettings } from '../listen/settings';

/** `listen`: receives webhook messages on this machine. */
export function listenCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return new CliCommand('listen')
    .summary('receive webhook messages on this machine')
    .description(
      'With --forward-to, asks the service for new messages, signs each and posts it to your server: nothing has to reach your machine ' +
        'from outside. A post without an answer is repeated until there is one.\n' +
        'With --serve, is a receiver itself, for the system that npm start runs here: verifies every signature, drops repeats, checks ' +
        'each body against the schema that the service publishes, and reopens the window of each alert. It prints the commands that ' +
        'register it, test it and make an alert fire.\n' +
        'Both run until Ctrl-C. Each call for messages costs what a call costs, and so does each window. ' +
        'The key needs the scope automation: MARKET_STATE_API_KEY, that of login, or the demo key.',
    )
    .option('--forward-to <url>', 'your server, such as http://127.0.0.1:3000/hook')
    .option('--kinds <kinds>', 'with --forward-to: these kinds of message, separated by commas; without it, all')
    .option('--url <address>', 'with --forward-to: service to ask; without it, the one that runs on this machine')
    .option('--serve <port>', 'receive https://localhost:<port>/; npm start sends to 8443, unless its WEBHOOK_TEST_TARGETS names others')
    .option('--fail <parts>', 'with --serve: fail on purpose, such as 500:30%,hang:10%')
    .option('--data-dir <folder>', 'data folder of the running system')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state listen --forward-to http://127.0.0.1:3000/hook --kinds alert.triggered\n' +
        '  $ market-state listen --serve 8443\n' +
        '  $ market-state listen --serve 8443 --fail 500:30%,hang:10%\n',
    )
    .runs<ListenSettings>(
      (operands, options, fault) => readListenSettings(operands, options, fault),
      (settings) => listen(settings, io),
      onExitCode,
    );
}

async function listen(settings: ListenSettings, io: CliIo): Promise<ExitCode> {
  const [{ serve }, { forward }] = await Promise.all([import('../listen/serve'), import('../listen/forward')]);
  // What is received here comes from the system on this machine.
  const order = settings.mode === 'serve' ? { dataDir: settings.dataDir ?? io.dataDir } : settings;
  await withService(io, order, (service) => (settings.mode === 'serve' ? serve(service, settings, io) : forward(service, settings, io)));
  return EXIT.done;
}
