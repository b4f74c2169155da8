import { Command, Option } from 'commander';
import { badInput, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';

/** Collects command-line errors, one sentence each. */
export type Fault = (sentence: string) => void;

/** Surroundings of every command of a program. */
interface CommandContext {
  readonly io: CliIo;
  onExitCode(exitCode: ExitCode): void;
}

/** Reports all command-line errors in one go instead of stopping at the first. */
export class CliCommand extends Command {
  private readonly faults: string[] = [];
  private unknownOptions: readonly string[] = [];

  /** @param context of the program; its commands use it too */
  constructor(
    name?: string,
    private readonly context?: CommandContext,
  ) {
    super(name);
  }

  /** Full command, such as `market-state admin tenants list`. */
  private get path(): string {
    return this.parent instanceof CliCommand ? `${this.parent.path} ${this.name()}` : this.name();
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Help and shell completion list the values; the option's reader validates them. */
  wordOption(flags: string, description: string, words: readonly string[], usual?: string): this {
    const option = new Option(flags, description);
    option.argChoices = [...words];
    return this.addOption(usual === undefined ? option : option.default(usual));
  }

  /** Its former name `--format` still works, except where that names the file format. */
  outputOption(description: string, words: readonly string[], usual?: string): this {
    this.wordOption('--output <form>', description, words, usual);
    if (this.options.some(({ long }) => long === '--format')) return this;
    return this.addOption(new Option('--format <form>').hideHelp()).on('option:format', (word: string) =>
      this.setOptionValue('output', word),
    );
  }

  /** `read` reports every fault; `work` runs only if there was none. */
  runs<T>(
    read: (operands: readonly string[], options: Readonly<Record<string, unknown>>, fault: Fault, io: CliIo) => T,
    work: (settings: T, io: CliIo) => Promise<ExitCode>,
  ): this {
    this.allowExcessArguments();
    return this.action(async () => {
      const { io, onExitCode } = this.programContext;
      const operands = this.args.filter((arg) => !this.unknownOptions.includes(arg));
      const settings = read(operands, this.opts(), (sentence) => this.faults.push(sentence), io);
      if (this.faults.length > 0) throw badInput(...this.faults, `Run "${this.path} --help" for usage.`);
      onExitCode(await work(settings, io));
    });
  }

  private get programContext(): CommandContext {
    if (this.context !== undefined) return this.context;
    if (this.parent instanceof CliCommand) return this.parent.programContext;
    throw new TypeError(`${this.path} is not part of a program`);
  }

  override parseOptions(args: string[]): { operands: string[]; unknown: string[] } {
    const parsed = super.parseOptions(args);
    const end = parsed.unknown.indexOf('--');
    this.unknownOptions = (end < 0 ? parsed.unknown : parsed.unknown.slice(0, end)).filter((arg) => arg.length > 1 && arg.startsWith('-'));
    return parsed;
  }

  // Commander calls these by name and stops at the first; here they are collected.

  unknownOption(flag: string): void {
    const flags = this.parent === null || this.unknownOptions.length === 0 ? [flag] : this.unknownOptions;
    const known = this.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '');
    for (const unknown of flags) {
      const meant = closestWord(unknown.split('=')[0] ?? '', known);
      this.faults.push(`unknown option ${unknown}${meant === undefined ? '' : `; did you mean ${meant}?`}`);
    }
  }

  optionMissingArgument({ flags }: Option): void {
    this.faults.push(`option ${flags} requires a value`);
  }

  missingArgument(name: string): void {
    this.faults.push(`missing argument: ${name}`);
  }

  missingMandatoryOptionValue({ flags }: Option): void {
    this.faults.push(`option ${flags} is required`);
  }
}

const EDITS_MAX = 2;

/** Word that differs in the fewest letters; undefined if none is close. */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const close = words
    .map((word) => ({ word, edits: editsBetween(typed, word) }))
    .filter(({ word, edits }) => edits <= EDITS_MAX && edits < word.length / 2)
    .sort((one, other) => one.edits - other.edits);
  return close[0]?.word;
}

/** Letters to insert, delete or replace (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_none, at) => at);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (let at = 1; at <= other.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min((next[at - 1] ?? 0) + 1, (row[at] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
