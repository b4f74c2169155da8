import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import type { AccountCalls } from './account-service';
import type { AccountSettings } from './options';
import type { Done } from './operations';
import type * as Operations from './operations';
import { writeResult } from '../output/settings';

/** Runs `work` and prints its result. Loads the RPC client lazily. */
export async function runOperator(
  settings: AccountSettings,
  io: CliIo,
  work: (operations: typeof Operations, calls: AccountCalls) => Promise<Done>,
): Promise<ExitCode> {
  const [{ withAccountService }, operations] = await Promise.all([import('./account-service'), import('./operations')]);
  return writeDone(await withAccountService(settings, io, (calls) => work(operations, calls)), settings, io);
}

export function writeDone(
  { result, lines, notes = [], exitCode = EXIT.done }: Done,
  { format }: Pick<AccountSettings, 'format'>,
  io: CliIo,
): ExitCode {
  writeResult(io, format, result, lines);
  for (const note of notes) io.stderr.write(`${note}\n`);
  return exitCode;
}
