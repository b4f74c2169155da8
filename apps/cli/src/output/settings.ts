import type { CliCommand, Fault } from '../arguments/cli-command';
import { choiceOption, type Options, textOption, wordOption } from '../arguments/values';
import type { CliIo } from '../io/cli-io';

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
  const format = wordOption(options, 'output', FORMATS, fault);
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

const RESULT_FORMATS = ['table', 'json'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** `--output` of commands that print sentences or a table unless asked for JSON. */
export function withResultOption(command: CliCommand): CliCommand {
  return command.outputOption('output format: table (readable) or json', RESULT_FORMATS, 'table');
}

export function readResultFormat(options: Options, fault: Fault): ResultFormat {
  return choiceOption(options, 'output', RESULT_FORMATS, fault);
}

export function writeResult(
  { stdout }: Pick<CliIo, 'stdout'>,
  format: string | undefined,
  result: unknown,
  lines: readonly string[],
): void {
  if (format === undefined || format === 'table') stdout.write(lines.map((line) => `${line}\n`).join(''));
  else stdout.write(`${JSON.stringify(result, null, format === 'json' ? 2 : undefined)}\n`);
}
