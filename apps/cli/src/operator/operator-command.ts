import { account } from '@market-state/contracts';
import { isServiceError, type ServiceError } from '@market-state/errors';
import type { ClientCalls, RpcPeer } from '@market-state/grpc';
import type { CliCommand, Fault } from '../arguments/cli-command';
import { addressOption, type Options, textOption } from '../arguments/values';
import { badInput, type CliError, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readEndpointsFile } from '../io/text-file';
import { readResultFormat, type ResultFormat, withResultOption, writeResult } from '../output/settings';
import { fromServiceError, operatorClient, operatorIdentity, refusedOperator } from './service-client';

/** An audit reads the whole ledger. */
const DEADLINE_MS = 60_000;

/** Result of an operator command. */
export interface OperatorResult {
  /** Printed with `--output json`. */
  readonly result: unknown;
  readonly lines: readonly string[];
  readonly notes?: readonly string[];
  readonly exitCode?: ExitCode;
}

export interface AccountCalls {
  readonly operator: ClientCalls<account.OperatorServiceService>;
  readonly keys: ClientCalls<account.KeyServiceService>;
}

interface AccountSettings<T> {
  readonly format: ResultFormat;
  readonly account?: string;
  readonly dataDir?: string;
  readonly wanted: T;
}

/** Command that calls account as the operator and prints the result of `work`. */
export function operatorCommand<T>(
  command: CliCommand,
  summary: string,
  read: (operands: readonly string[], options: Options, fault: Fault) => T,
  work: (calls: AccountCalls, wanted: T) => Promise<OperatorResult>,
): CliCommand {
  return withResultOption(command)
    .summary(summary)
    .option(
      '--account <host:port>',
      'address of the account service (default: ACCOUNT_ADDRESS, then the data folder of the running system)',
    )
    .option('--data-dir <folder>', 'data folder of the running system')
    .runs<AccountSettings<T>>(
      (operands, options, fault) => ({
        account: addressOption(options, 'account', fault),
        dataDir: textOption(options, 'dataDir'),
        format: readResultFormat(options, fault),
        wanted: read(operands, options, fault),
      }),
      async (settings, io) =>
        writeOperatorResult(await withAccountService(settings, io, (calls) => work(calls, settings.wanted)), settings.format, io),
    );
}

export function writeOperatorResult(
  { result, lines, notes = [], exitCode = EXIT.done }: OperatorResult,
  format: ResultFormat,
  io: CliIo,
): ExitCode {
  writeResult(io, format, result, lines);
  for (const note of notes) io.stderr.write(`${note}\n`);
  return exitCode;
}

/** @throws CliError if the service is unreachable or rejects a call */
async function withAccountService(
  settings: AccountSettings<unknown>,
  io: CliIo,
  work: (calls: AccountCalls) => Promise<OperatorResult>,
): Promise<OperatorResult> {
  const address = await accountAddress(settings, io);
  const peer: RpcPeer = operatorIdentity(io, settings.dataDir, [address]).to('account');
  const operator = operatorClient(account.OperatorServiceService, address, peer, DEADLINE_MS);
  const keys = operatorClient(account.KeyServiceService, address, peer, DEADLINE_MS);
  try {
    return await work({ operator: operator.call, keys: keys.call });
  } catch (error) {
    throw isServiceError(error) ? toCliError(error, address) : error;
  } finally {
    await Promise.all([operator.close(), keys.close()]);
  }
}

/** @throws CliError if no address is given and no system runs here */
async function accountAddress({ account: named, dataDir }: AccountSettings<unknown>, io: CliIo): Promise<string> {
  const address = named ?? (dataDir === undefined ? io.accountAddress : undefined);
  if (address !== undefined) return address;
  const otherwise = 'its account service with --account host:port';
  return (await readEndpointsFile(io.cwd, dataDir ?? io.dataDir, ['account'], otherwise)).account;
}

function toCliError(error: ServiceError, address: string): CliError {
  if (error.code === 'NOT_FOUND') return badInput(error.message);
  if (error.reason === 'subscription_running')
    return badInput(error.message, 'With --end-subscription it ends immediately, the unused part is credited, and the plan changes.');
  return refusedOperator(error) ?? fromServiceError(error, `Account service: ${address}.`);
}
