import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { textOption, type Options } from '../arguments/values';
import { badInput, type ExitCode } from '../cli-error';
import { callCommand, type RecordKind } from '../client/call-command';
import type { CliIo } from '../io/cli-io';

export interface RulesSource {
  /** JSON rule as in an alert; if absent, it is in the file. */
  readonly rule?: string;
  readonly rulesFile?: string;
}

export function withRuleOptions(command: CliCommand): CliCommand {
  return command.option('--rule <json>', 'rule as in an alert').option('--rules <file>', 'file with one rule or a list of rules');
}

export function readRulesSource(options: Options, fault: Fault): RulesSource {
  const [rule, rulesFile] = [textOption(options, 'rule'), textOption(options, 'rules')];
  if ((rule === undefined) === (rulesFile === undefined)) fault('use either --rule or --rules');
  return { rule, rulesFile };
}

/** Accepts one rule or a list. @throws CliError (bad input) for anything else */
export async function rulesOf({ rule, rulesFile }: RulesSource, cwd: string): Promise<readonly unknown[]> {
  const [name, text] = rulesFile === undefined ? ['--rule', rule ?? ''] : [rulesFile, await textOf(resolve(cwd, rulesFile), rulesFile)];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badInput(`${name}: must be JSON such as {"kind":"state_is","params":{"states":["fragile_depth_watch"]}}`);
  }
  return Array.isArray(value) ? value : [value];
}

/** The one rule of an alert. @throws CliError (bad input) for any other number */
export async function ruleOf(source: RulesSource, cwd: string): Promise<unknown> {
  const rules = await rulesOf(source, cwd);
  if (rules.length !== 1) throw badInput(`an alert has one rule, not ${rules.length}; a watchlist takes several`);
  return rules[0];
}

async function textOf(path: string, name: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${name}: cannot be read (${error.code ?? error.message})`);
  });
}

/** `mute` and `unmute`: rules are still evaluated while muted. */
export function mutingCommands(
  operation: 'updateAlert' | 'updateWatchlist',
  noun: string,
  record: RecordKind,
  io: CliIo,
  onExitCode: (exitCode: ExitCode) => void,
): readonly CliCommand[] {
  const muting = (name: string, muted: boolean, summary: string): CliCommand =>
    callCommand(new CliCommand(name), { operation, summary, record, body: () => ({ muted }) }, io, onExitCode);
  return [muting('mute', true, `stop the messages of ${noun}`), muting('unmute', false, `send the messages of ${noun} again`)];
}
