import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import { withService } from '../client/open-service';
import type { CliIo } from '../io/cli-io';
import { type ListenSettings, readListenSettings } from '../listen/settings';
import { withResultOption } from '../output/settings';

export function listenCommand(): CliCommand {
  return withResultOption(new CliCommand('listen'))
    .summary('receive webhook messages locally')
    .description(
      'With --forward-to, polls the service for new messages, signs each one and posts it to your server, so your machine needs no ' +
        'public address. Posts that get no response are retried.\n' +
        'With --serve, acts as the receiver for the system that npm start runs here: verifies each signature, drops duplicates, validates ' +
        'each body against the published schema and reopens the window of each alert. Prints the commands to ' +
        'register the endpoint, test it and trigger an alert.\n' +
        'With --output json, stdout has one object per message, and everything else goes to stderr. Both run until Ctrl-C. Polling and reopening windows are charged as normal calls. ' +
        'Needs a key with the scope automation: MARKET_STATE_API_KEY, the login profile, or the demo key.',
    )
    .option('--forward-to <url>', 'your server, such as http://127.0.0.1:3000/hook')
    .option('--kinds <kinds>', 'with --forward-to: only these message kinds, comma-separated (default: all)')
    .option('--url <address>', 'with --forward-to: service to poll (default: the system on this machine)')
    .option('--serve <port>', 'receive on https://localhost:<port>/; npm start allows 8443 unless WEBHOOK_TEST_TARGETS says otherwise')
    .option('--fail <parts>', 'with --serve: fail on purpose, for example 500:30%,hang:10%')
    .option('--data-dir <folder>', 'data folder of the running system')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state listen --forward-to http://127.0.0.1:3000/hook --kinds alert.triggered\n' +
        '  $ market-state listen --serve 8443\n' +
        '  $ market-state listen --serve 8443 --fail 500:30%,hang:10%\n',
    )
    .runs<ListenSettings>(readListenSettings, listen);
}

async function listen(settings: ListenSettings, io: CliIo): Promise<ExitCode> {
  const [{ serve }, { forward }] = await Promise.all([import('../listen/serve'), import('../listen/forward')]);
  // Messages received here come from the system on this machine.
  const order = settings.mode === 'serve' ? { dataDir: settings.dataDir ?? io.dataDir } : settings;
  await withService(io, order, (service) => (settings.mode === 'serve' ? serve(service, settings, io) : forward(service, settings, io)));
  return EXIT.done;
}
