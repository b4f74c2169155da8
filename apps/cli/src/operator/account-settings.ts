import type { CliCommand, Fault } from '../arguments/cli-command';
import { addressOption, textOption, type Options } from '../arguments/values';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/endpoints-file';

/** Where the account service is meant to be. */
export interface AccountSettings {
  readonly account?: string;
  readonly dataDir?: string;
}

/** The options that `readAccountSettings` reads. */
export function withAccountOptions(command: CliCommand): CliCommand {
  return command
    .option('--account <host:port>', 'address of the account service; without it ACCOUNT_ADDRESS, then the running system’s data folder')
    .option('--data-dir <folder>', 'data folder of the running system');
}

export function readAccountSettings(options: Options, fault: Fault): AccountSettings {
  return { account: addressOption(options, 'account', 'account', fault), dataDir: textOption(options, 'dataDir') };
}

/** `host:port` of the account service. @throws CliError when no system runs where one was meant */
export async function accountAddress({ account, dataDir }: AccountSettings, io: CliIo): Promise<string> {
  if (account !== undefined) return account;
  if (dataDir === undefined && io.accountAddress !== undefined) return io.accountAddress;
  const { account: address } = await readEndpointsFile(
    io.cwd,
    dataDir ?? io.dataDir,
    ['account'],
    'its account service with --account host:port',
  );
  return address;
}
