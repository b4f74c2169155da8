import type { CliCommand, Fault } from '../arguments/cli-command';
import { textOption, type Options } from '../arguments/values';

export const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

const FIELD = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$/;

/** How a command shows what came. */
export interface OutputSettings {
  /** Absent: table on a terminal, ndjson in a pipe. */
  readonly format?: Format;
  /** The members shown, by their paths (`severity.score`); absent: those that the command chooses. */
  readonly fields?: readonly string[];
}

/** The options that `readOutputSettings` reads. */
export function withOutputOptions(command: CliCommand): CliCommand {
  return command
    .outputOption('how results are printed; without it table on a terminal and ndjson in a pipe', FORMATS)
    .option('--fields <paths>', 'these members alone, separated by commas: state,severity.score');
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

/** The format that is written. */
export function formatOf({ format }: OutputSettings, stdout: { readonly isTTY?: boolean }): Format {
  return format ?? (stdout.isTTY === true ? 'table' : 'ndjson');
}
