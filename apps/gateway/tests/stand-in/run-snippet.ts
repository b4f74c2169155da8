import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const OUTPUT_BYTES_MAX = 64 * 1_048_576;
const TIMEOUT_MS = 300_000;

/** Where snippets run: a folder of their own, and the key in the environment. */
export interface SnippetPlace {
  readonly folder: string;
  readonly key: string;
}

function optionsOf({ folder, key }: SnippetPlace) {
  return { cwd: folder, env: { ...process.env, MARKET_STATE_API_KEY: key }, maxBuffer: OUTPUT_BYTES_MAX, timeout: TIMEOUT_MS };
}

/** Runs a shell command as given; rejects when it fails. */
export async function runBash(place: SnippetPlace, command: string): Promise<string> {
  return (await run('bash', ['-c', command], optionsOf(place))).stdout;
}

/** Runs Python as given, without anything that is installed beside the standard library. */
export async function runPython(place: SnippetPlace, source: string): Promise<string> {
  return (await run('python3', ['-I', '-S', '-c', source], optionsOf(place))).stdout;
}

const DUCKDB_MAIN = `
const { DuckDBInstance } = require(process.argv[1]);
DuckDBInstance.create(':memory:').then(async (instance) => {
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(process.argv[2]);
  process.stdout.write(JSON.stringify(reader.getRowObjectsJson()));
});
`;

/** Runs a DuckDB statement as given, in the folder; the lines of its result. */
export async function runDuckdb(place: SnippetPlace, statement: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(process.execPath, ['-e', DUCKDB_MAIN, require.resolve('@duckdb/node-api'), statement], optionsOf(place));
  return JSON.parse(stdout) as Record<string, unknown>[];
}

/** Runs a shell command that prints without end until what it printed is enough, then stops it. */
export function runUntil(place: SnippetPlace, command: string, isEnough: (printed: string) => boolean): Promise<string> {
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
