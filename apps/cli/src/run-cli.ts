import { CommanderError } from 'commander';
import { CliError, errorText, EXIT, incomplete } from './cli-error';
import type { CliIo } from './io/cli-io';
import { buildProgram } from './program';

/** The word by which the scripts of `completion` ask what may come next. */
const COMPLETE = '__complete';

/** Runs one command line (without the program's own name) and gives its exit code. Writes to the streams given, nothing else. */
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

/** Names what may come at the end of the words, of the command that they begin with or of all. */
async function complete(words: readonly string[], io: CliIo): Promise<number> {
  const program = await buildProgram(words.slice(0, -1), io, () => undefined);
  const { writeCandidates } = await import('./client-commands');
  await writeCandidates(program, words, io);
  return EXIT.done;
}
