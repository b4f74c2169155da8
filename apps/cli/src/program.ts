import { type Command, CommanderError } from 'commander';
import { version } from '../package.json';
import { CliCommand } from './arguments/cli-command';
import { errorText, type ExitCode, CliError, EXIT, incomplete } from './cli-error';
import type * as clientCommands from './client-commands';
import type { CliIo } from './io/cli-io';
import type * as localCommands from './local-commands';
import type * as serviceCommands from './service-commands';

const COMPLETE = '__complete';

/** Without the program name. Writes only to the given streams. */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT.done;
  try {
    const [first, ...words] = args;
    if (first === COMPLETE) return await complete(words, io);
    const program = await buildProgram(args, io, (code) => (exitCode = code));
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (io.signal.aborted) return EXIT.interrupted;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.bad;
    const known = error instanceof CliError ? error : incomplete(`Internal error: ${String((error as Error).stack)}`);
    io.stderr.write(errorText(known.lines));
    return known.exitCode;
  }
}

async function complete(words: readonly string[], io: CliIo): Promise<number> {
  const program = await buildProgram(words.slice(0, -1), io, () => undefined);
  const { writeCandidates } = await import('./client-commands');
  await writeCandidates(program, words, io);
  return EXIT.done;
}

type MakeCommand = (io: CliIo) => CliCommand;
type LoadCommand = () => Promise<MakeCommand>;

function ofClient(name: Exclude<keyof typeof clientCommands, 'writeCandidates'>): LoadCommand {
  return async () => (await import('./client-commands'))[name];
}

function ofRecordings(name: keyof typeof localCommands): LoadCommand {
  return async () => (await import('./local-commands'))[name];
}

function ofServices(name: keyof typeof serviceCommands): LoadCommand {
  return async () => (await import('./service-commands'))[name];
}

/** Commands for operators of an installation. */
const ADMIN_COMMANDS: Readonly<Record<string, LoadCommand>> = {
  tenants: ofServices('tenantsCommand'),
  tenant: ofServices('tenantCommand'),
  plan: ofServices('planCommand'),
  keys: ofServices('keysCommand'),
  'claim-token': ofServices('claimTokenCommand'),
  grant: ofServices('grantCommand'),
  billing: ofServices('billingCommand'),
  ledger: ofServices('ledgerCommand'),
  archive: ofServices('archiveCommand'),
  secrets: ofServices('secretsCommand'),
  certificates: ofServices('certificatesCommand'),
};

/** Until when operator commands also work without `admin`: 180 days after the release that announced it. */
const FORMER_NAMES_END = '2027-05-29';

const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  login: ofClient('loginCommand'),
  whoami: ofClient('whoamiCommand'),
  get: ofClient('getCommand'),
  history: ofClient('historyCommand'),
  search: ofClient('searchCommand'),
  searches: ofClient('searchesCommand'),
  tail: ofClient('tailCommand'),
  replay: ofClient('replayCommand'),
  export: ofClient('exportCommand'),
  usage: ofClient('usageCommand'),
  account: ofClient('accountCommand'),
  shares: ofClient('sharesCommand'),
  alerts: ofClient('alertsCommand'),
  watchlists: ofClient('watchlistsCommand'),
  webhooks: ofClient('webhooksCommand'),
  destinations: ofClient('destinationsCommand'),
  label: ofRecordings('labelCommand'),
  rows: ofRecordings('rowsCommand'),
  scenario: ofRecordings('scenarioCommand'),
  verify: ofServices('verifyCommand'),
  'verify-export': ofServices('verifyExportCommand'),
  dump: ofServices('dumpCommand'),
  report: ofRecordings('reportCommand'),
  stability: ofRecordings('stabilityCommand'),
  'diff-policy': ofRecordings('diffPolicyCommand'),
  import: ofServices('importCommand'),
  record: ofServices('recordCommand'),
  doctor: ofServices('doctorCommand'),
  instruments: ofServices('instrumentsCommand'),
  exporter: ofServices('exporterCommand'),
  listen: ofServices('listenCommand'),
  mcp: ofServices('mcpCommand'),
  completion: ofClient('completionCommand'),
};

/**
 * Only the command that the line begins with; all of them for `--help` or a misspelt name. `onExitCode` receives the
 * result.
 */
export async function buildProgram(args: readonly string[], io: CliIo, onExitCode: (exitCode: ExitCode) => void): Promise<CliCommand> {
  const program = new CliCommand('market-state', { io, onExitCode });
  program
    .description(
      'Client for a Market-State service: packets, rows, streams, exports and usage. Also records venues, turns recordings into packets, ' +
        'verifies packets against their log, compares policies, and manages the accounts of an installation.',
    )
    .version(version, '--version', 'print the version')
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state get latest\n  $ market-state label recording.gz --output table\n\nRun "market-state help <command>" for details.',
    );
  for (const makeCommand of await loaded(COMMANDS, args[0])) program.addCommand(makeCommand(io));
  if (!has(COMMANDS, args[0])) await addAdmin(program, args, io);
  for (const command of withAllBelow(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) =>
        write(
          errorText(
            text
              .replace(/^error: /, '')
              .trimEnd()
              .split('\n'),
          ),
        ),
    });
  }
  return program;
}

/** All commands unless one has this name. */
async function loaded(commands: Readonly<Record<string, LoadCommand>>, firstWord: string | undefined): Promise<readonly MakeCommand[]> {
  const isKnown = firstWord === ADMIN || has(COMMANDS, firstWord) || has(ADMIN_COMMANDS, firstWord);
  const chosen = Object.entries(commands).filter(([name]) => !isKnown || name === firstWord);
  return Promise.all(chosen.map(([, load]) => load()));
}

const ADMIN = 'admin';

function has(commands: Readonly<Record<string, LoadCommand>>, word: string | undefined): boolean {
  return word !== undefined && Object.hasOwn(commands, word);
}

/** Help does not list the former name. */
async function addAdmin(program: CliCommand, [first, second]: readonly string[], io: CliIo): Promise<void> {
  if (has(ADMIN_COMMANDS, first)) {
    for (const makeCommand of await loaded(ADMIN_COMMANDS, first)) {
      const notice = `"market-state ${first}" is now "market-state admin ${first}"; the former name works until ${FORMER_NAMES_END}.\n`;
      program.addCommand(
        makeCommand(io).hook('preAction', () => void io.stderr.write(notice)),
        { hidden: true },
      );
    }
    return;
  }
  const admin = new CliCommand(ADMIN).summary('operate an installation: tenants, keys, credits, orders, archive, certificates');
  const name = first === ADMIN && has(ADMIN_COMMANDS, second) ? second : undefined;
  for (const makeCommand of await loaded(ADMIN_COMMANDS, name)) admin.addCommand(makeCommand(io));
  program.addCommand(admin);
}

function withAllBelow(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}
