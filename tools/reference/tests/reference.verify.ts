import { execFile, spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';

import { createState, loadPolicy, packetRowLine, packetRowOf, parsePolicy, policyFileNames, reduce } from '@market-state/labeler';
import { eventOfRow, openRecording, recordingLineBatches, rowLine } from '@market-state/market-data';

const REFERENCE = join(import.meta.dirname, '..');
const DOMAIN = join(REFERENCE, '..', '..', 'libs', 'domain');
const RECORDINGS = join(DOMAIN, 'market-data', 'recordings', 'binance-coinm');
const POLICY = join(DOMAIN, 'labeler', 'policy');
const TIMEOUT_MS = 300_000;

/** Skipped without Python. */
const whereThereIsPython = spawnSync('python3', ['--version']).status === 0 ? it : it.skip;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'market-state-reference-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  /** Both streams. */
  readonly stdout: string;
}

function python(args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile('python3', [...args], { cwd: REFERENCE, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout: stdout + stderr });
    });
  });
}

async function recordingRows(names: readonly string[]): Promise<string[]> {
  const files = names.map((name) => ({
    name,
    lines: recordingLineBatches(createReadStream(join(RECORDINGS, name)).pipe(createGunzip())),
  }));
  const lines: string[] = [];
  for await (const batch of (await openRecording(files)).events) lines.push(...batch.map((event) => rowLine(event)));
  return lines;
}

function packetLines(market: string, rows: readonly string[], policy = loadPolicy()): string[] {
  const state = createState(market, policy);
  const lines: string[] = [];
  for (const row of rows) {
    for (const packet of reduce(state, eventOfRow(JSON.parse(row)))) lines.push(packetRowLine(packetRowOf(packet)));
  }
  return lines;
}

/** Writes rows and packets, and runs the comparison. */
async function compared(rows: readonly string[], packets: readonly string[], options: readonly string[] = []): Promise<Outcome> {
  const [rowsFile, packetsFile] = [join(folder, 'rows.ndjson'), join(folder, 'packets.ndjson')];
  await writeFile(rowsFile, rows.join('\n') + '\n');
  await writeFile(packetsFile, packets.join('\n') + '\n');
  return python(['label.py', rowsFile, '--compare', packetsFile, ...options]);
}

async function awkwardRows(seed: number): Promise<string[]> {
  return (await python(['tests/awkward_rows.py', String(seed), '400'])).stdout.trimEnd().split('\n');
}

function allEqual(packets: number): string {
  return `${packets} packets equal in every digest, 0 differ, 0 only recomputed, 0 only published\n`;
}

/** numbers.json with windows, minimums, limits and bounds other than the shipped ones. */
function otherNumbers(numbers: Record<string, Record<string, unknown>>): Record<string, Record<string, unknown>> {
  const changes: Record<string, Record<string, unknown>> = {
    windows: {
      duplicate_ms: 300_000,
      book_ms: 50_000,
      trade_ms: 40_000,
      state_ms: 150_000,
      liquidation_ms: 240_000,
      notional_ms: 200_000,
      quality_ms: 250_000,
      open_interest_ms: 1_200_000,
      trade_size_total: 500,
      session_packets: 150,
      short_return_total: 20,
      session_return_total: 100,
      price_move_packets: 5,
      vote_packets: 4,
      crowding_mean_packets: 25,
      novelty_packets: 7,
      trailing_packets: 9,
    },
    minimums: { held_ms: 40_000, trade_sizes: 50, session_medians: 12, returns: 15, crowding_share_packets: 20, lineage_packets: 4 },
    features: { near_depth_bps: 1 },
    composites: { flow_depth_ms: 40_000 },
    calibration: {
      sample_minimum: 60,
      refresh_ms: 120_000,
      watch_quantile: 0.7,
      elevated_quantile: 0.9,
      near_ratio: 0.8,
      leave_ratio: 0.6,
    },
    activity: { active_from: 1.02, scale_maximum: 1.5 },
    candidates: {
      pressure_weight: 0.5,
      flow_weight: 0.35,
      flow_shift_weight: 0.8,
      flow_shift_pressure_discount: 0.4,
      fragility_weight: 0.7,
      depth_weight: 0.9,
      depth_lean_from: 0.1,
      crowding_shift_open_from: 0.3,
      crowding_persistent_open_from: 0.7,
      open_score: 0.37,
      closed_score: 0.32,
    },
    confidence: { sample_full: 100, fresh_full_ms: 500, evidence_full_books: 20, evidence_full_trades: 30, medium_from: 0.3 },
    dwell: { packets: 2 },
    session_state: { packets: 40, minimum_packets: 12, lead_packets: 4 },
    event_class: { absorption_move_bps: 1, absorption_hold_factor: 3 },
    ranges: { fast_packets: 4, middle_packets: 12, slow_packets: 40, level_packets: 300, level_start_packets: 60 },
    severity: { level_multiple: 1.5, movement_basis_from: 0.4, thin_basis_from: 0.55, elevated_from: 0.35, high_from: 0.45 },
    lanes: {
      short_window_packets: 12,
      session_every_ms: 30_000,
      session_packets: 100,
      session_full_packets: 50,
      history_every_ms: 120_000,
      history_blocks: 5,
      history_full_packets: 40,
      event_packets: 3,
    },
  };
  return Object.fromEntries(
    Object.entries(numbers).map(([name, values]) => [name, name in changes ? { ...values, ...changes[name] } : values]),
  );
}

describe('the second labeler, written from the specification pages, reproduces the digests of the first', () => {
  // `npm run verify -- reference` covers the other recording, the scenario set and twenty awkward logs.
  whereThereIsPython(
    'on a bundled recording',
    async () => {
      const rows = await recordingRows(['ethusd_perp_20240808.gz', 'ethusd_perp_20240809.gz']);
      const packets = packetLines('ETHUSD-PERP', rows);
      expect(await compared(rows, packets)).toEqual({ code: 0, stdout: allEqual(65) });
    },
    TIMEOUT_MS,
  );

  whereThereIsPython(
    'on an awkward log',
    async () => {
      const rows = await awkwardRows(3);
      const packets = packetLines('BTCUSD-PERP', rows);
      expect(packets.length).toBeGreaterThan(200);
      expect(await compared(rows, packets)).toEqual({ code: 0, stdout: allEqual(packets.length) });
    },
    TIMEOUT_MS,
  );

  whereThereIsPython(
    'on rows of two venues of a symbol',
    async () => {
      const rows = await awkwardRows(11);
      const others = rows.map((row) => row.replace(/"venue": ?"[^"]*"/, '"venue":"okx"'));
      const market = 'BTCUSD-PERP@okx';
      const packets = [...packetLines('BTCUSD-PERP', rows), ...packetLines(market, others)];
      expect(packets.at(-1)).toContain(`"market":"${market}"`);
      expect(await compared([...rows, ...others], packets)).toEqual({ code: 0, stdout: allEqual(packets.length) });
    },
    TIMEOUT_MS,
  );

  whereThereIsPython(
    'with other numbers, because both read them from the policy',
    async () => {
      const policyFolder = join(folder, 'policy');
      await mkdir(policyFolder);
      const files: Record<string, string> = {};
      for (const name of policyFileNames) {
        const text = await readFile(join(POLICY, name), 'utf8');
        files[name] = name === 'numbers.json' ? JSON.stringify(otherNumbers(JSON.parse(text))) : text;
        await writeFile(join(policyFolder, name), files[name]);
      }
      const rows = await awkwardRows(4);
      const packets = packetLines('BTCUSD-PERP', rows, parsePolicy(files));
      expect(await compared(rows, packets, ['--policy', policyFolder])).toEqual({ code: 0, stdout: allEqual(packets.length) });
    },
    TIMEOUT_MS,
  );

  whereThereIsPython(
    'and reports the paths at which a packet differs',
    async () => {
      const rows = await recordingRows(['btcusd_perp_20240809.gz']);
      const packets = packetLines('BTCUSD-PERP', rows).map((line) => line.replace('"score":0.', '"score":1.'));
      const { code, stdout } = await compared(rows, packets);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^BTCUSD-PERP \d+: body differ; 1 paths\n  \$\.[\w.[\]]+\.score: recomputed 0\.\d+, published 1\.\d+\n/u);
    },
    TIMEOUT_MS,
  );
});

describe('its worked numbers', () => {
  whereThereIsPython(
    'hold',
    async () => {
      const { code, stdout } = await python(['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\nOK\n$/u) });
    },
    TIMEOUT_MS,
  );
});
