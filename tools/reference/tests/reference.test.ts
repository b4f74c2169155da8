import { execFile, spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';

import { createState, loadPolicy, packetRowLine, packetRowOf, reduce } from '@market-state/labeler';
import { eventOfRow, openRecording, recordingLineBatches, rowLine } from '@market-state/market-data';

const REFERENCE = join(__dirname, '..');
const RECORDINGS = join(REFERENCE, '..', '..', 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm');
const TIMEOUT_MS = 300_000;

/** Registered and counted as skipped where there is no Python. */
const whereThereIsPython = spawnSync('python3', ['--version']).status === 0 ? it : xit;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'market-state-reference-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs Python in the reference's folder; resolves whatever the exit code. */
function python(args: readonly string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) => {
    execFile('python3', [...args], { cwd: REFERENCE, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout: stdout + stderr });
    });
  });
}

/** Rows of a bundled recording. */
async function recordingRows(names: readonly string[]): Promise<string[]> {
  const files = names.map((name) => ({
    name,
    lines: recordingLineBatches(createReadStream(join(RECORDINGS, name)).pipe(createGunzip())),
  }));
  const lines: string[] = [];
  for await (const batch of (await openRecording(files)).events) lines.push(...batch.map((event) => rowLine(event)));
  return lines;
}

/** Labels rows with the product; returns packet row lines. */
function packetLines(symbol: string, rows: readonly string[]): string[] {
  const state = createState(symbol, loadPolicy());
  const lines: string[] = [];
  for (const row of rows) {
    for (const packet of reduce(state, eventOfRow(JSON.parse(row)))) lines.push(packetRowLine(packetRowOf(packet)));
  }
  return lines;
}

/** Both programs on the same rows: what the comparison says. */
async function compared(symbol: string, rows: readonly string[]): Promise<{ packets: number; code: number; stdout: string }> {
  const packets = packetLines(symbol, rows);
  const [rowsFile, packetsFile] = [join(folder, 'rows.ndjson'), join(folder, 'packets.ndjson')];
  await writeFile(rowsFile, rows.join('\n') + '\n');
  await writeFile(packetsFile, packets.join('\n') + '\n');
  return { packets: packets.length, ...(await python(['label.py', rowsFile, '--compare', packetsFile])) };
}

function allEqual(packets: number): string {
  return `${packets} packets equal in every digest, 0 differ, 0 only recomputed, 0 only published\n`;
}

describe('the second labeler, written from the pages, gives the digests of the first', () => {
  for (const name of ['btcusd_perp', 'ethusd_perp']) {
    whereThereIsPython(`on the bundled recording of ${name}`, async () => {
      const rows = await recordingRows([`${name}_20240808.gz`, `${name}_20240809.gz`]);
      const result = await compared(`${name.slice(0, 6).toUpperCase()}-PERP`, rows);
      expect(result).toEqual({ packets: 65, code: 0, stdout: allEqual(65) });
    }, TIMEOUT_MS);
  }

  for (const seed of ['12', '13', '28']) {
    whereThereIsPython(`on awkward log ${seed}`, async () => {
      const made = await python(['tests/awkward_rows.py', seed, '350']);
      const result = await compared('BTCUSD-PERP', made.stdout.trimEnd().split('\n'));
      expect(result.packets).toBeGreaterThan(200);
      expect(result).toEqual({ packets: result.packets, code: 0, stdout: allEqual(result.packets) });
    }, TIMEOUT_MS);
  }

  whereThereIsPython('and tells the paths at which a packet differs', async () => {
    const rows = await recordingRows(['btcusd_perp_20240809.gz']);
    const packets = packetLines('BTCUSD-PERP', rows).map((line) => line.replace('"score":0.', '"score":1.'));
    const [rowsFile, packetsFile] = [join(folder, 'rows.ndjson'), join(folder, 'packets.ndjson')];
    await writeFile(rowsFile, rows.join('\n') + '\n');
    await writeFile(packetsFile, packets.join('\n') + '\n');
    const { code, stdout } = await python(['label.py', rowsFile, '--compare', packetsFile]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^BTCUSD-PERP \d+: body differ; 1 paths\n  \$\.[\w.[\]]+\.score: recomputed 0\.\d+, published 1\.\d+\n/u);
  }, TIMEOUT_MS);
});

describe('its worked numbers', () => {
  whereThereIsPython('hold', async () => {
    const { code, stdout } = await python(['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\nOK\n$/u) });
  }, TIMEOUT_MS);
});
