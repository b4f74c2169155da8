import type { CliCommand, Fault } from '../arguments/cli-command';
import { choiceOption, type Options } from '../arguments/values';
import type { CliIo } from '../io/cli-io';

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
