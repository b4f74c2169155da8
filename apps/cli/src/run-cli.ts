import { CommanderError } from 'commander';
import { CliError, errorText, EXIT, incomplete } from './cli-error';
import type { CliIo } from './io/cli-io';
import { buildProgram } from './program';

/** Runs one command line (without the program's own name) and gives its exit code. Writes to the streams given, nothing else. */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = EXIT.done;
  try {
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
