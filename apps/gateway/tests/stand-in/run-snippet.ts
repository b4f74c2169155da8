import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

const run = promisify(execFile);

const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const TIMEOUT_MS = 300_000;
/** Avoids a version manager's `python3`, which starts ten times slower. */
const PYTHON = ['/usr/bin/python3'].find(existsSync) ?? 'python3';

/** Working folder of snippets, and the key in the environment. */
export interface SnippetFolder {
  readonly folder: string;
  readonly key: string;
}

function optionsOf({ folder, key }: SnippetFolder) {
  return { cwd: folder, env: { ...process.env, MARKET_STATE_API_KEY: key }, maxBuffer: OUTPUT_BYTES_MAX, timeout: TIMEOUT_MS };
}

const BASH_MAIN = String.raw`
for command in "$@"; do
  (eval "$command") || { echo "$command" >&2; exit 1; }
  printf '\0'
done
`;

/** Runs shell commands in one shell, each in a subshell; returns their output. Rejects if one fails. */
export async function runBash(place: SnippetFolder, commands: readonly string[]): Promise<string[]> {
  const { stdout } = await run('bash', ['-c', BASH_MAIN, 'bash', ...commands], optionsOf(place));
  return stdout.split('\0').slice(0, -1);
}

const PYTHON_MAIN = `
import contextlib, io, json, sys
printed = []
for source in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(source, source, "exec"), {"__name__": "__main__"})
    printed.append(out.getvalue())
print(json.dumps(printed))
`;

/**
 * Runs Python sources in one process with only the standard library, each with its own namespace; returns their output.
 */
export async function runPython(place: SnippetFolder, sources: readonly string[]): Promise<string[]> {
  const { stdout } = await run(PYTHON, ['-I', '-S', '-c', PYTHON_MAIN, ...sources], optionsOf(place));
  return JSON.parse(stdout) as string[];
}

const DUCKDB_MAIN = `
const { DuckDBInstance } = require(process.argv[1]);
(async () => {
  const results = [];
  for (const statement of process.argv.slice(2)) {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    results.push((await connection.runAndReadAll(statement)).getRowObjectsJson());
  }
  process.stdout.write(JSON.stringify(results));
})();
`;

/** Runs DuckDB statements in the folder, each in its own database; returns the result lines. */
export async function runDuckdb(place: SnippetFolder, statements: readonly string[]): Promise<Record<string, unknown>[][]> {
  const { stdout } = await run(
    process.execPath,
    ['-e', DUCKDB_MAIN, createRequire(import.meta.filename).resolve('@duckdb/node-api'), ...statements],
    optionsOf(place),
  );
  return JSON.parse(stdout) as Record<string, unknown>[][];
}

/** Runs an endless shell command until its output is enough, then stops it. */
export function runUntil(place: SnippetFolder, command: string, isEnough: (printed: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec ${command}`], optionsOf(place));
    let printed = '';
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (!isEnough(printed)) return;
      resolve(printed);
      child.kill();
    });
    child.on('error', reject);
    child.on('close', () => (isEnough(printed) ? resolve(printed) : reject(new Error(`It ended too early: ${printed} ${complaint}`))));
  });
}
