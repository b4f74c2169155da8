import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type CliIo, runCli } from '@market-state/cli';

/** How a command line went. */
export interface CommandOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that runs. */
export interface RunningCommand {
  /** Lines of stdout so far. */
  lines(): readonly string[];
  stderr(): string;
  /** Ends it as Ctrl-C does: its exit code. */
  end(): Promise<number>;
}

/** The program, in this process, with an environment of its own. */
export interface CommandLine {
  run(args: readonly string[], stdin?: string): Promise<CommandOutcome>;
  start(args: readonly string[]): RunningCommand;
  /** The same with another environment. */
  with(environment: Partial<CliIo>): CommandLine;
  profileMode(): number;
}

export function openCommandLine(folder: string, environment: Partial<CliIo>): CommandLine {
  const profileFile = join(folder, 'profile', 'profile.json');

  function begin(args: readonly string[], stdin: string) {
    const stop = new AbortController();
    const [stdout, stderr] = [remembering(), remembering()];
    const exitCode = runCli(args, {
      stdin: Readable.from([stdin]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      cwd: folder,
      signal: stop.signal,
      dataDir: join(folder, '.data'),
      profileFile,
      ...environment,
    });
    return { stop, stdout, stderr, exitCode };
  }

  return {
    async run(args, stdin = '') {
      const { stdout, stderr, exitCode } = begin(args, stdin);
      return { exitCode: await exitCode, stdout: stdout.text(), stderr: stderr.text() };
    },
    start(args) {
      const { stop, stdout, stderr, exitCode } = begin(args, '');
      return {
        lines: () => stdout.text().split('\n').slice(0, -1),
        stderr: stderr.text,
        end() {
          stop.abort();
          return exitCode;
        },
      };
    },
    with: (further) => openCommandLine(folder, { ...environment, ...further }),
    profileMode: () => statSync(profileFile).mode & 0o777,
  };
}

function remembering(): { readonly stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8');
      done();
    },
  });
  return { stream, text: () => text };
}
