import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { digestOfFile, openEngine } from '@market-state/archive';
import type { MarketState } from '@market-state/client';
import { type Dataset, isLogDataset } from '@market-state/export-schema';
import { type SigningKey, signingKeyOf } from '@market-state/labeler';
import { z } from 'zod';
import { EXIT, type ExitCode, incomplete } from '../cli-error';
import { isAnswer } from '../client/open-service';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import type { Progress } from '../io/progress';
import { checkSymbol, type SymbolVerification } from './check-symbol';
import { FaultList, MANIFEST, type Manifest, readManifest } from './manifest';
import { CandleComparison, logRowCheck, packetCheck, type RowCheck, uncheckedCandle } from './row-checks';

const KEYS = 'keys.json';

const keysShape = z.object({
  keys: z.array(z.object({ kid: z.string(), kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.base64url() })),
});

/** Reports invalid keys, and keys that the API does not publish. */
async function readSigningKeys(
  folder: string,
  ms: MarketState | undefined,
  faults: FaultList,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SigningKey>> {
  const listed = keysOf(await readFile(join(folder, KEYS), 'utf8').catch(() => ''), KEYS, faults);
  if (ms === undefined) return listed;
  const published = keysOf(JSON.stringify(await publishedBy(ms, signal)), 'the API', faults);
  for (const keyId of listed.keys()) if (!published.has(keyId)) faults.add(KEYS, `${KEYS}: the API does not publish ${keyId}`);
  return listed;
}

async function publishedBy(ms: MarketState, signal: AbortSignal): Promise<unknown> {
  try {
    return (await ms.signingKeys.get({ signal })).data;
  } catch (error) {
    throw isAnswer(error) ? incomplete(`cannot read the keys of the API: ${error.status}: ${error.detail}`) : error;
  }
}

function keysOf(text: string, place: string, faults: FaultList): ReadonlyMap<string, SigningKey> {
  const found = new Map<string, SigningKey>();
  for (const { kid, x } of jwksOf(text, place, faults)) {
    const key = signingKeyOf(Buffer.from(x, 'base64url'));
    if (key.keyId === kid) found.set(kid, key);
    else faults.add(KEYS, `${place}: ${kid} is not the id of its key, which is ${key.keyId}`);
  }
  return found;
}

function jwksOf(text: string, place: string, faults: FaultList): z.infer<typeof keysShape>['keys'] {
  try {
    return keysShape.parse(JSON.parse(text)).keys;
  } catch {
    faults.add(KEYS, `${place}: not a list of Ed25519 keys`);
    return [];
  }
}

const SUMS = 'SHA256SUMS';

export interface FileCheck {
  readonly total: number;
  /** Names of the files that match the manifest and SHA256SUMS. */
  readonly sound: ReadonlySet<string>;
}

async function checkFiles(folder: string, manifest: Manifest, faults: FaultList, onFile: (name: string) => void): Promise<FileCheck> {
  const listed = [...manifest.files, ...manifest.support_files];
  const sums = await readSums(folder, faults);
  const sound = new Set<string>();
  for (const { name, bytes, sha256 } of listed) {
    onFile(name);
    if (sums !== undefined && !sums.has(name)) faults.add(SUMS, `${SUMS}: ${name} is not listed`);
    if (await isSound(folder, name, { bytes, sha256, sum: sums?.get(name) ?? sha256 }, faults)) sound.add(name);
  }
  const manifestSum = sums?.get(MANIFEST);
  if (sums !== undefined && manifestSum === undefined) faults.add(SUMS, `${SUMS}: ${MANIFEST} is not listed`);
  if (manifestSum !== undefined && (await isSound(folder, MANIFEST, { sha256: manifestSum, sum: manifestSum }, faults)))
    sound.add(MANIFEST);
  const known = new Set([...listed.map(({ name }) => name), MANIFEST, SUMS]);
  for (const name of sums?.keys() ?? []) if (!known.has(name)) faults.add(SUMS, `${SUMS}: ${name} is not in ${MANIFEST}`);
  for (const name of (await readdir(folder)).sort())
    if (!known.has(name)) faults.add('unexpected files', `${name}: unexpected, not listed in ${MANIFEST}`);
  return { total: listed.length + 1, sound };
}

interface Expected {
  /** Absent if not stated. */
  readonly bytes?: number;
  readonly sha256: string;
  readonly sum: string;
}

async function isSound(folder: string, name: string, { bytes, sha256, sum }: Expected, faults: FaultList): Promise<boolean> {
  const path = join(folder, name);
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isFile) {
    faults.add('missing files', `${name}: missing`);
    return false;
  }
  const found = await digestOfFile(path);
  const wrong: string[] = [];
  if (bytes !== undefined && found.bytes !== bytes) wrong.push(`expected ${count(bytes)} bytes, found ${count(found.bytes)}`);
  if (found.sha256 !== sha256) wrong.push(`expected SHA-256 ${sha256}, found ${found.sha256}`);
  if (sum !== sha256) wrong.push(`${SUMS} has ${sum}, ${MANIFEST} has ${sha256}`);
  if (wrong.length > 0) faults.add('damaged files', `${name}: ${wrong.join('; ')}`);
  return wrong.length === 0;
}

/** Digests by name; undefined if the file is missing. */
async function readSums(folder: string, faults: FaultList): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await readFile(join(folder, SUMS), 'utf8').catch(() => undefined);
  if (text === undefined) {
    faults.add('missing files', `${SUMS}: missing`);
    return undefined;
  }
  const sums = new Map<string, string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined) faults.add(SUMS, `${SUMS}: line ${index + 1} is not a digest followed by a name`);
    else sums.set(name, sha256);
  }
  return sums;
}

/** Memory limit of the DuckDB engine in MiB. */
const MEMORY_MB = 256;

export interface ExportVerification {
  readonly jobId: string;
  readonly request: Manifest['request'];
  readonly isCheckable: boolean;
  readonly isCompared: boolean;
  readonly fileTotal: number;
  readonly soundTotal: number;
  readonly symbols: readonly SymbolVerification[];
  /** Symbols not read because one of their files is damaged or missing. */
  readonly unread: readonly string[];
  readonly faults: readonly string[];
}

/** @throws CliError if the folder has no manifest or the API is unreachable */
export async function verifyExport(name: string, ms: MarketState | undefined, io: CliIo, progress: Progress): Promise<ExportVerification> {
  const folder = resolve(io.cwd, name);
  const manifest = await readManifest(folder);
  const faults = new FaultList();
  const { total, sound } = await checkFiles(folder, manifest, faults, (name) => progress.report(() => `checking ${name}`));
  totalFaults(manifest, faults);
  const symbols: SymbolVerification[] = [];
  const unread: string[] = [];
  const engine = await openEngine({ memoryMb: MEMORY_MB });
  try {
    const newCheck = await checksOf(folder, manifest, ms, faults, io.signal);
    for (const symbol of manifest.request.symbols) {
      const files = manifest.files.filter((file) => file.symbol === symbol);
      if (files.some(({ name }) => !sound.has(name))) {
        unread.push(symbol);
        continue;
      }
      const context = { engine, manifest, folder: (name: string) => join(folder, name), faults, ms, signal: io.signal };
      const onProgress = (rows: number, windowMs?: number): void =>
        progress.report(() => `${symbol}: ${count(rows)} rows${windowMs === undefined ? '' : `, compared up to ${instant(windowMs)}`}`);
      symbols.push(await checkSymbol(context, symbol, files, newCheck(symbol), onProgress));
    }
  } finally {
    engine.close();
  }
  return {
    jobId: manifest.job_id,
    request: manifest.request,
    isCheckable: manifest.checkable,
    isCompared: ms !== undefined,
    fileTotal: total,
    soundTotal: sound.size,
    symbols,
    unread,
    faults: faults.lines(),
  };
}

function totalFaults(manifest: Manifest, faults: FaultList): void {
  const rows = manifest.files.reduce((sum, file) => sum + file.rows, 0);
  if (rows !== manifest.row_total)
    faults.add('totals', `manifest.json: row_total is ${count(manifest.row_total)}, but its files list ${count(rows)}`);
}

/** Row checks for a symbol; candles need the API. */
async function checksOf(
  folder: string,
  manifest: Manifest,
  ms: MarketState | undefined,
  faults: FaultList,
  signal: AbortSignal,
): Promise<(symbol: string) => RowCheck | CandleComparison> {
  const { checkable, request } = manifest;
  const dataset: Dataset = request.dataset;
  if (dataset === 'candles')
    return (symbol) => (ms === undefined || !checkable ? uncheckedCandle : new CandleComparison(ms, manifest, symbol, signal));
  if (!checkable) return () => () => ({ timeMs: request.from_utc, line: undefined, faults: [] });
  if (isLogDataset(dataset)) return () => logRowCheck(dataset);
  const keys = await readSigningKeys(folder, ms, faults, signal);
  return () => packetCheck(keys);
}

type Verdict = 'equal' | 'whole' | 'different' | 'incomplete';

/** `whole`: no faults, but nothing was compared with the API. */
export function verdictOf({ faults, symbols, isCompared, isCheckable }: ExportVerification): Verdict {
  if (faults.length > 0) return 'different';
  if (!isCompared) return 'whole';
  const isFinished = ({ refusal, comparison }: SymbolVerification): boolean => refusal === undefined && !(comparison?.notCompared ?? 0);
  return isCheckable && symbols.every(isFinished) ? 'equal' : 'incomplete';
}

const EXIT_CODES: Readonly<Record<Verdict, ExitCode>> = {
  equal: EXIT.done,
  whole: EXIT.done,
  different: EXIT.different,
  incomplete: EXIT.incomplete,
};

export function exitCodeOf(verification: ExportVerification): ExitCode {
  return EXIT_CODES[verdictOf(verification)];
}

const WORDS: Readonly<Record<Verdict, string>> = {
  equal: 'EQUAL: every file matches its digest, and every row matches the API',
  whole: 'WHOLE: every file matches its digest; nothing was compared with the API (pass --url)',
  different: 'DIFFERENT: the files do not match what was exported',
  incomplete: 'INCOMPLETE: some rows could not be compared with the API',
};

const TITLE_WIDTH = 14;

export function describe(verification: ExportVerification, withWindows: boolean): readonly string[] {
  const { jobId, request, fileTotal, soundTotal, symbols, unread, isCheckable, faults } = verification;
  const { dataset, format, from_utc: fromMs, to_utc: toMs, as_of_utc: asOfMs } = request;
  const lines = [`${jobId}  ${WORDS[verdictOf(verification)]}`];
  const say = (title: string, text: string): void => void lines.push(`  ${title.padEnd(TITLE_WIDTH - 1)} ${text}`);
  say('export', `${dataset} in ${format}, from ${instant(fromMs)} until ${instant(toMs)}, as of ${instant(asOfMs)}`);
  say('files', `${count(soundTotal)} of ${count(fileTotal)} match the manifest`);
  if (!isCheckable) say('rows', notCheckable(verification));
  if (dataset === 'candles' && !verification.isCompared)
    say('rows', 'only counted: candles can only be compared with the API (pass --url)');
  for (const symbol of symbols) {
    for (const [index, line] of symbolLines(verification, symbol, withWindows).entries()) say(index === 0 ? symbol.symbol : '', line);
  }
  for (const symbol of unread) say(symbol, 'not read: a file is damaged or missing');
  for (const fault of faults) say('fault', fault);
  return lines;
}

function notCheckable({ request: { dataset, depth } }: ExportVerification): string {
  const why = dataset === 'book' && depth !== null && depth < 25 ? `it has only ${depth} of 25 levels` : 'columns are missing';
  return `only counted: rows cannot be converted back to those of the API, because ${why}`;
}

function symbolLines({ request, isCheckable }: ExportVerification, verified: SymbolVerification, withWindows: boolean): readonly string[] {
  const { rows, unchecked, sha256, windows, comparison, equalCandles, refusal } = verified;
  const lines = [counted(rows, 'row')];
  if (isCheckable && request.dataset !== 'candles') {
    lines[0] += `, chain ${sha256}`;
    if (unchecked > 0) lines.push(`${count(unchecked)} unchecked: recorded before exchange_ts_is_receive_time existed`);
    if (withWindows)
      for (const window of windows) lines.push(`${instant(window.startMs)} to ${instant(window.endMs)}  ${window.rows}  ${window.sha256}`);
  }
  if (comparison !== undefined) lines.push(...comparisonLines(windows.length, comparison));
  if (equalCandles !== undefined) lines.push(`${counted(equalCandles, 'candle')} equal to the API, field by field`);
  if (refusal !== undefined) lines.push(`not compared: ${refusal}`);
  return lines;
}

function comparisonLines(total: number, comparison: NonNullable<SymbolVerification['comparison']>): readonly string[] {
  const { equal, different, empty, notCompared, firstReason } = comparison;
  const lines = [`${counted(total, 'window')} of up to one hour: ${count(equal)} equal to the API, ${count(different)} different`];
  if (empty > 0) lines.push(`${count(empty)} without rows, here and in the API`);
  if (notCompared > 0) lines.push(`${count(notCompared)} not compared, the first: ${firstReason ?? ''}`);
  return lines;
}
