import type { Command } from 'commander';
import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import { candidatesFor, wantsSymbols } from '../completion/candidates';
import { servedSymbols } from '../completion/served-symbols';
import { scriptOf, type Shell, SHELLS } from '../completion/shells';
import type { CliIo } from '../io/cli-io';
import { READS } from '../reads/reads';

/** `completion`: what a shell reads so that it can complete command lines. */
export function completionCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return new CliCommand('completion')
    .summary('complete command lines in bash, zsh or fish')
    .description('Prints the script that a shell reads. It completes commands, options and their values, and the symbols of the service.')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText('after', '\nExamples:\n  $ source <(market-state completion bash)\n  $ market-state completion fish | source\n')
    .runs<Shell>(
      ([word = '', ...more], _options, fault) => {
        const shell = SHELLS.find((known) => known === word);
        if (shell === undefined || more.length > 0) fault(`the shell must be one of ${SHELLS.join(', ')}`);
        return shell ?? 'bash';
      },
      (shell) => {
        io.stdout.write(scriptOf(shell));
        return Promise.resolve(EXIT.done);
      },
      onExitCode,
    );
}

/** What may come at the end of these words, a line each with a tab before what it is: those scripts ask for it. */
export async function writeCandidates(program: Command, words: readonly string[], io: CliIo): Promise<void> {
  const reads = Object.entries(READS).map(([word, { summary }]) => ({ word, summary }));
  const symbols = wantsSymbols(program, words) ? await servedSymbols(io) : [];
  for (const { word, summary } of candidatesFor(program, words, { reads, symbols })) io.stdout.write(`${word}\t${summary}\n`);
}
