import type { Command } from 'commander';
import { version } from '../package.json';
import { CliCommand } from './arguments/cli-command';
import { errorText, type ExitCode } from './cli-error';
import { billingCommand } from './commands/billing';
import { certificatesCommand } from './commands/certificates';
import { claimTokenCommand } from './commands/claim-token';
import { diffPolicyCommand } from './commands/diff-policy';
import { dumpCommand } from './commands/dump';
import { doctorCommand } from './commands/doctor';
import { grantCommand } from './commands/grant';
import { keysCommand } from './commands/keys';
import { labelCommand } from './commands/label';
import { ledgerCommand } from './commands/ledger';
import { listenCommand } from './commands/listen';
import { planCommand } from './commands/plan';
import { recordCommand } from './commands/record';
import { reportCommand } from './commands/report';
import { rowsCommand } from './commands/rows';
import { scenarioCommand } from './commands/scenario';
import { secretsCommand } from './commands/secrets';
import { stabilityCommand } from './commands/stability';
import { tenantCommand, tenantsCommand } from './commands/tenants';
import { verifyCommand } from './commands/verify';
import { verifyExportCommand } from './commands/verify-export';
import type { CliIo } from './io/cli-io';

const COMMANDS = [
  labelCommand,
  rowsCommand,
  scenarioCommand,
  verifyCommand,
  verifyExportCommand,
  dumpCommand,
  reportCommand,
  stabilityCommand,
  diffPolicyCommand,
  recordCommand,
  doctorCommand,
  listenCommand,
  tenantsCommand,
  tenantCommand,
  planCommand,
  keysCommand,
  claimTokenCommand,
  grantCommand,
  billingCommand,
  ledgerCommand,
  secretsCommand,
  certificatesCommand,
];

/** The program with all its commands. `onExitCode` is told how the command ended that the command line names. */
export function buildProgram(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const program = new CliCommand('market-state');
  program
    .description(
      'Records venues, turns recordings into market-state packets, proves packets against the log they came from, and compares policies. ' +
        'Manages the accounts of an installation.',
    )
    .version(version, '--version', 'print the version')
    .addHelpText(
      'after',
      '\nExample:\n  $ market-state label recording.gz --format table\n\n"market-state help <command>" describes each.',
    );
  for (const command of COMMANDS) program.addCommand(command(io, onExitCode));
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

function withAllBelow(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)];
}
