import type { CliCommand, Fault } from '../arguments/cli-command';
import { textOption, type Options } from '../arguments/values';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const FIELD = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

export interface OutputSettings {
  /** Absent: table on a terminal, ndjson in a pipe. */
  readonly format?: Format;
  /** Paths such as `severity.score`; absent: the command's own choice. */
  readonly fields?: readonly string[];
}

export function withOutputOptions(command: CliCommand): CliCommand {
  return command
    .outputOption('output format (default: table on a terminal, ndjson in a pipe)', FORMATS)
    .option('--fields <paths>', 'only these fields, comma-separated: state,severity.score');
}

export function readOutputSettings(options: Options, fault: Fault): OutputSettings {
  const text = textOption(options, 'output');
  const format = FORMATS.find((word) => word === text);
  if (text !== undefined && format === undefined) fault(`--output must be one of ${FORMATS.join(', ')}, not ${JSON.stringify(text)}`);
  const fields = textOption(options, 'fields')
    ?.split(',')
    .map((field) => field.trim());
  for (const field of fields ?? [])
    if (!FIELD.test(field)) fault(`--fields must look like state,severity.score, not ${JSON.stringify(field)}`);
  return { format, fields };
}

export function formatOf({ format }: OutputSettings, stdout: { readonly isTTY?: boolean }): Format {
  return format ?? (stdout.isTTY === true ? 'table' : 'ndjson');
}
