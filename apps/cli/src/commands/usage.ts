import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import { dryRun, runClient } from '../client/run-client';
import { type ClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { BALANCE, CAPS, RECEIPTS, USAGE } from '../reads/own-reads';
import type { Read } from '../reads/read';
import { runRead } from '../reads/run-read';
import { type PathSettings, readPathSettings, readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

/** Receipts that are shown where no limit is named. */
const LIMIT = '100';

/** `usage`, and under it `receipts`, `balance`, `estimate` and `caps`. */
export function usageCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const ofRead = (command: CliCommand, read: Read, defaults: object = {}): CliCommand =>
    withClientOptions(withReadOptions(command, [read])).runs<ReadSettings>(
      (operands, options, fault) => readReadSettings(read, operands, { ...defaults, ...options }, fault),
      (settings) => runRead(settings, io),
      onExitCode,
    );
  const spend = new CliCommand('spend').summary('credits left, and what each family of calls has cost by day; 31 days without --from');
  const receipts = new CliCommand('receipts').summary(`a receipt for each call, newest first; ${LIMIT} without --limit`);
  const balance = new CliCommand('balance').summary(
    'what was left at the end of each day or hour, and what moved it; 31 days without --from',
  );
  const caps = new CliCommand('caps').summary('the limits on what the tenant may spend');
  const estimate = withClientOptions(new CliCommand('estimate'))
    .summary('what a path would cost at most')
    .argument('<path>', '/api/…?…, answered by a GET')
    .runs<PathSettings & ClientSettings>(
      readPathSettings,
      (settings) => runClient(io, settings, (session) => dryRun(session, settings, settings, io)),
      onExitCode,
    );
  return new CliCommand('usage')
    .summary('credits left, spent, and what calls would cost')
    .addCommand(ofRead(spend, USAGE), { isDefault: true })
    .addCommand(ofRead(receipts, RECEIPTS, { limit: LIMIT }))
    .addCommand(ofRead(balance, BALANCE))
    .addCommand(estimate)
    .addCommand(ofRead(caps, CAPS));
}
