import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Column, digestOfFile, literal, openEngine, writeParquet } from '@market-state/archive';
import type { labeling } from '@market-state/contracts';
import { fileExtension, mediaTypeOf } from '@market-state/export-schema';
import type { StoredFile } from '../store/files';
import { dateOf, utc, utcOrNull } from '../utc';
import type { WorkerDeps } from '../worker-deps';
import { manifestOf, reviewPackOf } from './evidence';
import type { ExportFacts } from './facts';
import { loadSql, readMe } from './reading-guide';

const GAPS_MEMORY_MB = 64;
const JSON_TYPE = 'application/json';

export interface Support {
  readonly files: readonly Omit<StoredFile, 'part'>[];
  readonly reviewPack: unknown;
}

/** Writes and stores the support files of a publishing attempt. `asked` is the original request. */
export async function putSupportFiles(deps: WorkerDeps, facts: ExportFacts, requested: unknown, scratch: string): Promise<Support> {
  const { job } = facts;
  const put: Omit<StoredFile, 'part'>[] = [];

  async function putFile(name: string, contentType: string): Promise<void> {
    const file = join(scratch, name);
    const { bytes, sha256 } = await digestOfFile(file);
    const objectKey = `exports/${job.jobId}/p${job.fence}-${name}`;
    await deps.store.put(objectKey, file);
    put.push({ name, contentType, bytes, sha256, objectKey });
  }

  async function putText(name: string, contentType: string, text: string): Promise<void> {
    await writeFile(join(scratch, name), text);
    await putFile(name, contentType);
  }

  const putJson = (name: string, content: unknown): Promise<void> => putText(name, JSON_TYPE, `${JSON.stringify(content, null, 1)}\n`);

  await putJson('condition.json', conditionsFile(facts));
  await putJson('instruments.json', instrumentsFile(facts));
  const gapsName = `gaps.${fileExtension(job.spec.format, job.spec.compression)}`;
  await writeGaps(facts, scratch, gapsName);
  await putFile(gapsName, mediaTypeOf(job.spec.format, job.spec.compression));
  await putText('load.sql', 'application/sql', loadSql(facts));
  if (job.spec.dataset === 'packets') {
    await putJson('policy.json', await policyFile(facts));
    await putJson('keys.json', keysFile((await deps.labeling.call.listSigningKeys({})).keys));
  }
  await putText('README.md', 'text/markdown; charset=utf-8', readMe({ ...facts, files: [...facts.files, ...put] }));
  await putJson('manifest.json', manifestOf(facts, put));
  const manifest = put.at(-1);
  const sums = [...facts.files, ...put].map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  await putText('SHA256SUMS', 'text/plain; charset=utf-8', sums.join(''));
  const files = [...facts.files, ...put];
  return { files: put, reviewPack: reviewPackOf({ ...facts, files }, requested, manifest?.sha256 ?? '') };
}

function conditionsFile({ conditions }: ExportFacts) {
  return {
    days: conditions.map(({ symbol, dayMs, condition, reasons, rows, files }) => ({
      symbol,
      date: dateOf(dayMs),
      condition,
      reasons,
      rows,
      files,
    })),
  };
}

function instrumentsFile({ instruments, job }: ExportFacts) {
  return {
    instruments: instruments.map(({ symbol, venue, venueInstrument, contractValue }) => ({
      symbol,
      venue,
      venue_instrument: venueInstrument,
      contract_value: contractValue === '' ? null : contractValue,
      source_kind: job.symbols.find((known) => known.symbol === symbol)?.sourceKind || null,
    })),
  };
}

/** Policy of this release, and the policies that packets name. Loads the labeler only for exports of packets. */
async function policyFile({ parts }: ExportFacts) {
  const { loadPolicy } = await import('@market-state/labeler');
  const { digest, files } = loadPolicy();
  const named = [...new Set(parts.flatMap(({ facts }) => facts.policyDigests ?? []))].sort();
  return { policy_digest: digest, named_by_packets: named, files };
}

/** Keys in RFC 8037 form, as in /.well-known/market-state-keys.json. */
function keysFile(keys: readonly labeling.SigningKey[]) {
  return {
    keys: keys.map(({ keyId, publicKey, validFromMs, validToMs }) => ({
      kid: keyId,
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(publicKey).toString('base64url'),
      valid_from_utc: utc(validFromMs),
      valid_to_utc: utcOrNull(validToMs),
    })),
  };
}

const GAP_COLUMNS: readonly Column[] = [
  ...['gap_id', 'symbol', 'channel'].map((name): Column => ({ name, type: 'text' })),
  { name: 'start_ts_ms', type: 'int64' },
  { name: 'start_utc', type: 'text' },
  { name: 'end_ts_ms', type: 'int64' },
  ...['end_utc', 'reason', 'resolution'].map((name): Column => ({ name, type: 'text' })),
];

async function writeGaps({ job, gaps }: ExportFacts, scratch: string, name: string): Promise<void> {
  const { format, compression } = job.spec;
  const rows = gaps.map(({ gapId, symbol, channel, startMs, endMs, reason, resolution }) => [
    gapId,
    symbol,
    channel === '' ? null : channel,
    startMs,
    utc(startMs),
    endMs === 0 ? null : endMs,
    utcOrNull(endMs),
    reason,
    resolution,
  ]);
  const source = join(scratch, 'gaps-source.parquet');
  const engine = await openEngine({ memoryMb: GAPS_MEMORY_MB, spillFolder: scratch });
  try {
    await writeParquet(engine, source, { columns: GAP_COLUMNS, rows: piecesOf(rows) });
    const packed = compression === 'none' && format === 'parquet' ? 'uncompressed' : compression;
    const how = { parquet: 'FORMAT parquet', csv: `FORMAT csv, HEADER true, NULLSTR ''`, ndjson: 'FORMAT json, ARRAY false' }[format];
    await engine.run((connection) =>
      connection.run(
        `COPY (SELECT * FROM read_parquet(${literal(source)})) TO ${literal(join(scratch, name))} (${how}, COMPRESSION ${packed})`,
      ),
    );
  } finally {
    engine.close();
  }
}

async function* piecesOf<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}
