import type { OperationId } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import type { Options } from '../arguments/values';
import type { CliIo } from '../io/cli-io';
import type { Row } from '../output/row-writer';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';
import type { Read } from '../reads/read';
import { type ClientSettings, readClientSettings, withClientOptions } from './settings';

/** Record of the tenant that a command names by its id. */
export interface RecordKind {
  /** Path parameter of its operations. */
  readonly parameter: string;
  /** Start of its ids, such as `al_`. */
  readonly prefix: string;
  /** Command that shows the ids. */
  readonly listedBy: string;
}

/** Files are read only once the command line is valid. */
export type BodyOf = (options: Options, fault: Fault, operands: readonly string[]) => Row | BodyFile;

/** Reads the files that a body is made of. */
type BodyFile = (io: CliIo) => Promise<Row>;

export interface CallOf {
  readonly operation: OperationId;
  readonly summary: string;
  /** Absent: the command names no record. */
  readonly record?: RecordKind;
  readonly body?: BodyOf;
  /** Operands after the record are for `body`. */
  readonly takesOperands?: boolean;
}

interface CallSettings extends ClientSettings {
  readonly params: Row;
  readonly body: Row | BodyFile;
}

const ID = '[0-9a-hjkmnp-tv-z]{26}';

/** Path parameter with the id. */
export function readRecordId({ parameter, prefix, listedBy }: RecordKind, id: string, fault: Fault): Row {
  if (!new RegExp(`^${prefix}${ID}$`).test(id)) fault(`pass an id (${prefix}…); "market-state ${listedBy}" shows them`);
  return { [parameter]: id };
}

/** Command that makes one call and prints its answer. */
export function callCommand(command: CliCommand, call: CallOf): CliCommand {
  const { operation, record, summary, takesOperands = false } = call;
  if (record !== undefined) command.argument(`<${record.parameter.replace(/_id$/, '')}>`, `id: ${record.prefix}…`);
  const read: Read = { operation, summary };
  return withClientOptions(command)
    .summary(summary)
    .runs<CallSettings>(
      (operands, options, fault) => {
        const [id = '', ...rest] = record === undefined ? ['', ...operands] : operands;
        const params = record === undefined ? {} : readRecordId(record, id, fault);
        if (rest.length > 0 && !takesOperands) fault(`unexpected arguments: ${rest.join(', ')}`);
        return { ...readClientSettings(options, fault), params, body: call.body?.(options, fault, rest) ?? {} };
      },
      async ({ params, body, ...settings }, io) => {
        const rest = typeof body === 'function' ? await body(io) : body;
        return runRead({ ...settings, read, operation, params: { ...params, ...rest } }, io);
      },
    );
}

export function listCommand(command: CliCommand, read: Read, more: (options: Options, fault: Fault) => Row = () => ({})): CliCommand {
  return withClientOptions(withReadOptions(command, [read]))
    .summary(`list ${read.summary}`)
    .runs<ReadSettings>((operands, options, fault) => {
      const settings = readReadSettings(read, operands, options, fault);
      return { ...settings, params: { ...settings.params, ...more(options, fault) } };
    }, runRead);
}

/** Command with several parts, such as `alerts list`. */
export function withParts(name: string, summary: string, parts: readonly CliCommand[]): CliCommand {
  const command = new CliCommand(name).summary(summary);
  for (const part of parts) command.addCommand(part);
  return command;
}
