import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userProgramFile } from '@market-state/launcher';

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
  /** The arguments of its process, as every user of the machine sees them. */
  seenArguments(): string;
  /** Its exit code, once it has ended. */
  readonly exited: Promise<number>;
  /** Ends it as Ctrl-C does: its exit code. */
  end(): Promise<number>;
}

/** The program, each command line a process in a folder of its own, with this environment and no other. */
export interface CommandLine {
  run(args: readonly string[], stdin?: string): Promise<CommandOutcome>;
  start(args: readonly string[]): RunningCommand;
  /** The same with another environment. */
  with(environment: NodeJS.ProcessEnv): CommandLine;
}

/** Of the bundle that `startSystem` has prepared. */
export function openCommandLine(folder: string, environment: NodeJS.ProcessEnv): CommandLine {
  const program = userProgramFile();

  function begin(args: readonly string[], stdin: string) {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, '.data'), XDG_CONFIG_HOME: folder, ...environment };
    const child = spawn(process.execPath, [program, ...args], { env, cwd: folder });
    child.stdin.end(stdin);
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    const exitCode = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    return { child, stdout, stderr, exitCode };
  }

  return {
    async run(args, stdin = '') {
      const { stdout, stderr, exitCode } = begin(args, stdin);
      return { exitCode: await exitCode, stdout: stdout(), stderr: stderr() };
    },
    start(args) {
      const { child, stdout, stderr, exitCode } = begin(args, '');
      return {
        lines: () => stdout().split('\n').slice(0, -1),
        stderr,
        exited: exitCode,
        seenArguments: () => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'),
        end() {
          child.kill('SIGINT');
          return exitCode;
        },
      };
    },
    with: (further) => openCommandLine(folder, { ...environment, ...further }),
  };
}

function textOf(stream: ChildProcessWithoutNullStreams['stdout']): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
