import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { CliIo } from '../src/io/cli-io';
import { buildProgram, runCli } from '../src/program';

const RECORDINGS = join(import.meta.dirname, '../../../libs/domain/market-data/recordings/binance-coinm');

/** First of the two BTCUSD-PERP files. */
export const BTC_DAY = join(RECORDINGS, 'btcusd_perp_20240808.gz');
/** Bundled recordings, two files per symbol. */
export const BTC = [BTC_DAY, join(RECORDINGS, 'btcusd_perp_20240809.gz')];
export const ETH = ['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz'].map((file) => join(RECORDINGS, file));

/** Enough rows for a few packets. */
export const FEW_ROWS = 1_000;

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Lines of stdout. */
  readonly lines: readonly string[];
}

/** Temporary folder for commands. */
export interface Workplace {
  readonly folder: string;
  run(...args: readonly string[]): Promise<Outcome>;
  /** Writes a file and returns its name. */
  write(name: string, content: string | Uint8Array): string;
  remove(): void;
}

/** @param environment overrides of the program's environment */
export function createWorkplace(environment: Partial<CliIo> = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-cli-'));
  return {
    folder,
    run: (...args) => run(args, folder, undefined, environment),
    write(name, content) {
      writeFileSync(join(folder, name), content);
      return name;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Runs a command line in this process, as `main` does, and captures its output. */
export async function run(
  args: readonly string[],
  cwd: string,
  signal = new AbortController().signal,
  environment: Partial<CliIo> = {},
): Promise<Outcome> {
  const [stdout, stderr] = [remembering(), remembering()];
  const exitCode = await runCli(args, {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd,
    signal,
    dataDir: join(cwd, '.data'),
    profileFile: join(cwd, 'profile.json'),
    ...environment,
  });
  const text = stdout.text();
  return { exitCode, stdout: text, stderr: stderr.text(), lines: text === '' ? [] : text.trimEnd().split('\n') };
}

/** Commands that a command line loads, without running one. */
export function commandTree(...args: readonly string[]): Promise<Command> {
  const io = {
    stdin: new PassThrough(),
    profileFile: '/',
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    cwd: '/',
    signal: new AbortController().signal,
    dataDir: '/',
  };
  return buildProgram(args, io, () => undefined);
}

let rowsOfDay: Promise<Outcome> | undefined;

/** First rows of `BTC_DAY`, computed once per process. */
export async function firstRows(total: number): Promise<readonly string[]> {
  rowsOfDay ??= run(['rows', BTC_DAY], tmpdir());
  return (await rowsOfDay).lines.slice(0, total);
}

export function remembering(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}

export function without(members: object, name: string): object {
  return Object.fromEntries(Object.entries(members).filter(([kept]) => kept !== name));
}
