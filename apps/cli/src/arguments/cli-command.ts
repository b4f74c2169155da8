import { Command, Option } from 'commander';
import { badInput, type ExitCode } from '../cli-error';

/** Collects what is wrong with a command line, a sentence each. */
export type Fault = (sentence: string) => void;

/** A command that tells of everything wrong with its command line at once. */
export class CliCommand extends Command {
  private readonly faults: string[] = [];
  private unknownOptions: readonly string[] = [];

  /** What one types to get here: `market-state tenants list`. */
  private get path(): string {
    return this.parent instanceof CliCommand ? `${this.parent.path} ${this.name()}` : this.name();
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** An option whose value is one of these words; the help names them, and shells complete them. What reads the option refuses others. */
  wordOption(flags: string, description: string, words: readonly string[], usual?: string): this {
    const option = new Option(flags, description);
    option.argChoices = [...words];
    return this.addOption(usual === undefined ? option : option.default(usual));
  }

  /** `--output`: how results are printed. `--format`, its former name, is accepted where it is not the format of files. */
  outputOption(description: string, words: readonly string[], usual?: string): this {
    this.wordOption('--output <form>', description, words, usual);
    if (this.options.some(({ long }) => long === '--format')) return this;
    return this.addOption(new Option('--format <form>').hideHelp()).on('option:format', (word: string) =>
      this.setOptionValue('output', word),
    );
  }

  /**
   * What the command does: `read` makes its settings of all operands and options, naming every fault; `work` runs when there was none.
   * `onExitCode` is told how it ended.
   */
  runs<T>(
    read: (operands: readonly string[], options: Readonly<Record<string, unknown>>, fault: Fault) => T,
    work: (settings: T) => Promise<ExitCode>,
    onExitCode: (exitCode: ExitCode) => void,
  ): this {
    this.allowExcessArguments();
    return this.action(async () => {
      const operands = this.args.filter((arg) => !this.unknownOptions.includes(arg));
      const settings = read(operands, this.opts(), (sentence) => this.faults.push(sentence));
      if (this.faults.length > 0) throw badInput(...this.faults, `Run "${this.path} --help" for its usage.`);
      onExitCode(await work(settings));
    });
  }

  override parseOptions(args: string[]): { operands: string[]; unknown: string[] } {
    const parsed = super.parseOptions(args);
    const end = parsed.unknown.indexOf('--');
    this.unknownOptions = (end < 0 ? parsed.unknown : parsed.unknown.slice(0, end)).filter((arg) => arg.length > 1 && arg.startsWith('-'));
    return parsed;
  }

  // Commander ends at the first of these; here they are collected. It calls them by name.

  unknownOption(flag: string): void {
    const flags = this.parent === null || this.unknownOptions.length === 0 ? [flag] : this.unknownOptions;
    for (const unknown of flags) this.faults.push(`unknown option ${unknown}`);
  }

  optionMissingArgument({ flags }: Option): void {
    this.faults.push(`option ${flags} needs a value`);
  }

  missingArgument(name: string): void {
    this.faults.push(`missing argument: ${name}`);
  }

  missingMandatoryOptionValue({ flags }: Option): void {
    this.faults.push(`option ${flags} must be given`);
  }
}
