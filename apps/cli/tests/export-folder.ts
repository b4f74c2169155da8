import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf, type Dataset, pickColumns } from '@market-state/export-schema';

export const SYMBOL = 'BTCUSD-PERP';
/** 2026-01-02T10:00:00Z. */
export const FROM_MS = Date.UTC(2026, 0, 2, 10);
const TO_MS = FROM_MS + 9_000_000;

export type Cells = Readonly<Record<string, string | number | boolean | null>>;

/** One CSV file of one symbol and day. */
export interface FolderOptions {
  readonly dataset: Dataset;
  readonly rows: readonly Cells[];
  /** Absent: all columns. */
  readonly columns?: readonly string[];
  readonly checkable?: boolean;
  /** Row count in the manifest. */
  readonly listedRows?: number;
  readonly support?: Readonly<Record<string, string>>;
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function csvCell(value: Cells[string] | undefined): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  return text === '' || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function dataName(dataset: Dataset): string {
  return `${dataset}_${SYMBOL}_20260102.csv`;
}

/** Writes an export folder with correct digests. */
export function writeExport(folder: string, options: FolderOptions): string {
  const { dataset, rows, columns = [], checkable = true, listedRows = rows.length, support = {} } = options;
  mkdirSync(folder, { recursive: true });
  const picked = pickColumns({ dataset, format: 'csv' }, columns);
  const lines = [picked.map(({ name }) => name).join(','), ...rows.map((row) => picked.map(({ name }) => csvCell(row[name])).join(','))];
  const contents: Record<string, string> = { [dataName(dataset)]: `${lines.join('\n')}\n`, 'load.sql': 'SELECT 1;\n', ...support };
  const listed = Object.entries(contents).map(([name, text]) => ({ name, bytes: Buffer.byteLength(text), sha256: sha256(text) }));
  const utc = (ms: number): string => new Date(ms).toISOString();
  const manifest = {
    schema: 'market_state_export.v1',
    job_id: 'exp_test',
    request: {
      ...{ dataset, symbols: [SYMBOL], from_utc: utc(FROM_MS), to_utc: utc(TO_MS), as_of_utc: utc(TO_MS) },
      ...{ format: 'csv', compression: 'none', tf: dataset === 'candles' ? '1h' : null, depth: null },
    },
    columns: picked,
    row_total: listedRows,
    checkable,
    files: listed.slice(0, 1).map((file) => ({ ...file, symbol: SYMBOL, rows: listedRows })),
    support_files: listed.slice(1),
  };
  contents['manifest.json'] = JSON.stringify(manifest);
  contents['SHA256SUMS'] = Object.entries(contents)
    .map(([name, text]) => `${sha256(text)}  ${name}\n`)
    .join('');
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text);
  return folder;
}

export function flipByte(folder: string, name: string): void {
  const bytes = readFileSync(join(folder, name));
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 2) ^ 1, bytes.length - 2);
  writeFileSync(join(folder, name), bytes);
}

/** Names of all other columns. */
export function columnsWithout(dataset: Dataset, ...left: readonly string[]): readonly string[] {
  return columnsOf({ dataset, format: 'csv' }).flatMap(({ name }) => (left.includes(name) ? [] : [name]));
}

/** h0 is 32 zero bytes, h(n) = SHA-256(h(n-1), line n). */
export function chainOf(lines: readonly string[]): string {
  return lines.reduce((link, line) => createHash('sha256').update(link).update(line).digest(), Buffer.alloc(32)).toString('hex');
}
