import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { labeling } from '@market-state/contracts';
import { deadlineExceeded, failedPrecondition, isServiceError, unavailable, internal } from '@market-state/errors';
import {
  CHECKPOINT_SCHEMA,
  checkpointLine,
  PACKET_ROW_SCHEMA,
  type Packet,
  packetRowLine,
  signingKeyLine,
  signingKeyOf,
} from '@market-state/labeler';
import { createConcurrencyLimit, timeLimit } from '@market-state/lifecycle';
import { decodeEvent, rowLine } from '@market-state/market-data';
import { readEventPacket } from '../../clients/packets/read-packet';
import { oldestRetained, fromProtoSourceKind } from '../../clients/market-data-client';
import type { Upstreams } from '../../clients/upstreams';
import { createTenantLimit } from '../../serving/admission';
import { InvalidRequest } from '../../serving/errors/problem';
import type { FileAnswer, Handler } from '../../serving/answers/handler';
import { parseInstant } from '../../serving/meta/meta';
import type { PacketClient } from '../../clients/packet-client';

/** Shortest first. A checkpoint is taken every quarter of an hour while the feed runs. */
const REACHES_MS = [2 * 3_600_000, Number.POSITIVE_INFINITY];
const CHECKPOINT_PAGE_SIZE = 1_000;

/** Same policy as the packet's; null if none is retained. */
async function checkpointBefore(
  { call }: PacketClient,
  { symbol, windowEndMs, policyDigest }: Pick<labeling.PacketRecord, 'symbol' | 'windowEndMs' | 'policyDigest'>,
): Promise<labeling.CheckpointHeader | null> {
  for (const reachMs of REACHES_MS) {
    const span = { symbol, fromWindowEndMs: Math.max(0, windowEndMs - reachMs), toWindowEndMs: windowEndMs };
    let newest: labeling.CheckpointHeader | undefined;
    let pageToken = '';
    do {
      const page = await call.listCheckpoints({ ...span, pageSize: CHECKPOINT_PAGE_SIZE, pageToken });
      newest = page.checkpoints.findLast((header) => header.policyDigest === policyDigest) ?? newest;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    if (newest !== undefined) return newest;
  }
  return null;
}

interface Packed {
  readonly bytes: Buffer;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Compresses lines with backpressure on their source. Rejects as the source does. */
async function packLines(batches: AsyncIterable<readonly string[]>): Promise<Packed> {
  const pieces: Buffer[] = [];
  const sha256 = createHash('sha256');
  await pipeline(Readable.from(textOf(batches), { highWaterMark: 1 }), createGzip(), async (packed: AsyncIterable<Buffer>) => {
    for await (const piece of packed) {
      sha256.update(piece);
      pieces.push(piece);
    }
  });
  return { bytes: Buffer.concat(pieces), sha256: sha256.digest('hex') };
}

async function* textOf(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of batches) if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

/** Packets per page; a page is also limited to 1 MiB. */
const PAGE_SIZE = 100;
/** Entries written between yields to the event loop: a few milliseconds of work. */
const BATCH_ENTRIES = 50;

interface BundleParts {
  readonly record: labeling.PacketRecord;
  /** Newest one before the packet; null: the log from its first entry. */
  readonly checkpoint: labeling.CheckpointHeader | null;
}

interface BundleCount {
  entryTotal: number;
}

type PacketSources = Pick<Upstreams, 'packets' | 'marketData'>;

/**
 * Keys, checkpoint, entries up to the one that closed the window, and packets. Ends early on abort.
 * @throws ServiceError as the services do, and UNAVAILABLE while the last entry is not stored
 */
async function* bundleLines(
  { packets, marketData }: PacketSources,
  { record, checkpoint }: BundleParts,
  count: BundleCount,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const { keys } = await packets.call.listSigningKeys({}, { signal });
  yield keys.map(({ publicKey }) => signingKeyLine(signingKeyOf(publicKey)));
  if (checkpoint !== null) yield [await lineOfCheckpoint(packets, checkpoint, signal)];

  const { symbol, windowEndMs, closingOrdinal } = record;
  const afterOrdinal = checkpoint?.ordinal ?? 0;
  let lastOrdinal = afterOrdinal;
  for await (const { entries } of marketData.call.streamLogEntries({ symbol, afterOrdinal, toOrdinal: closingOrdinal }, { signal })) {
    for (let from = 0; from < entries.length; from += BATCH_ENTRIES) {
      const events = entries.slice(from, from + BATCH_ENTRIES).map(decodeEvent);
      lastOrdinal = events.at(-1)?.ordinal ?? lastOrdinal;
      count.entryTotal += events.length;
      yield events.map(rowLine);
    }
  }
  signal.throwIfAborted();
  if (lastOrdinal < closingOrdinal)
    throw unavailable('upstream_unavailable', 'The log entry that closed this window is not stored yet. Retry in a few seconds.');

  const span = { symbol, fromWindowEndMs: (checkpoint?.windowEndMs ?? 0) + 1, toWindowEndMs: windowEndMs + 1 };
  let pageToken = '';
  do {
    const page = await packets.call.listPackets({ ...span, descending: false, asOfMs: 0, pageSize: PAGE_SIZE, pageToken }, { signal });
    for (const held of page.packets) yield [lineOfPacket(held)];
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

async function lineOfCheckpoint({ call }: Upstreams['packets'], header: labeling.CheckpointHeader, signal: AbortSignal): Promise<string> {
  const { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest } = header;
  const { stateGzip } = await call.getCheckpoint({ symbol, windowEndMs }, { signal });
  return checkpointLine({
    schema: CHECKPOINT_SCHEMA,
    symbol,
    window_end_ms: windowEndMs,
    epoch,
    ordinal,
    lineage_digest: lineageDigest,
    policy_digest: policyDigest,
    state_digest: stateDigest,
    state: Buffer.from(stateGzip).toString('base64'),
  });
}

/** The stored packet, unverified: verification is up to the reader. */
function lineOfPacket(record: labeling.PacketRecord): string {
  const packet = JSON.parse(record.body.toString('utf8')) as Packet;
  const sourceKind = fromProtoSourceKind(record.sourceKind);
  if (sourceKind === 'unknown') throw internal({ detail: `${record.packetId} has no source kind` });
  return packetRowLine({
    schema: PACKET_ROW_SCHEMA,
    symbol: record.symbol,
    window_end_ms: record.windowEndMs,
    packet_id: record.packetId,
    event_id: record.eventId,
    input_digest: record.inputDigest,
    policy_digest: record.policyDigest,
    previous_lineage_digest: packet.previous_lineage_digest,
    packet_digest: record.packetDigest,
    lineage_digest: record.lineageDigest,
    source_kind: sourceKind,
    closing_ordinal: record.closingOrdinal === 0 ? null : record.closingOrdinal,
    headline: record.headline,
    customer_next_step: record.customerNextStep,
    signature: record.signature.length === 0 ? null : record.signature.toString('base64'),
    signing_key_id: record.signingKeyId === '' ? null : record.signingKeyId,
    packet,
  });
}

/** Over twice a busy symbol's quarter of an hour. The OpenAPI document states the same number. */
const ENTRIES_MAX = 50_000;
/** Limits concurrent bundles per gateway: each competes with all other responses. */
const MAKING_MAX = 4;
const WAITING = {
  waitingMax: 16,
  waitMsMax: 5_000,
  refusal: () => unavailable('overloaded', 'Concurrent bundle limit reached. Retry in a few seconds.'),
};
const DEADLINE_MS = 20_000;

/** Service reasons for a packet that can no longer be recomputed. */
const GONE: Readonly<Record<string, string>> = {
  log_not_retained: 'its log entries are no longer retained',
  log_incomplete: 'log entries between the preceding checkpoint and its window are missing',
  checkpoint_not_found: 'the preceding checkpoint is no longer retained',
};

/** Builds the complete file first, so that length, digest and charge are known and a failure is an error response. */
export function getEventBundle(upstreams: Upstreams): Handler<'getEventBundle'> {
  const limit = createConcurrencyLimit(MAKING_MAX, WAITING);
  const limitTenant = createTenantLimit('bundles');
  return ({ grant, input }) =>
    limitTenant(grant?.tenantId ?? '', () => limit(() => makeBundle(upstreams, input.path.event_id, parseInstant(input.query.as_of) ?? 0)));
}

async function makeBundle(upstreams: Upstreams, eventId: string, asOfMs: number): Promise<FileAnswer> {
  const { record } = await readEventPacket(upstreams, eventId, asOfMs);
  const parts = { record, checkpoint: await checkpointBefore(upstreams.packets, record) };
  await refuseBeyondBounds(upstreams, parts);
  const count: BundleCount = { entryTotal: 0 };
  const { bytes, sha256 } = await pack(upstreams, parts, count);
  return {
    name: `${record.eventId}.ndjson.gz`,
    contentType: 'application/gzip',
    sizeBytes: bytes.length,
    sha256,
    isWhole: true,
    observed: count.entryTotal,
    async *read({ from, to }) {
      yield bytes.subarray(from, to);
    },
  };
}

async function pack(upstreams: Upstreams, parts: BundleParts, count: BundleCount): Promise<Packed> {
  const signal = timeLimit(DEADLINE_MS);
  try {
    return await packLines(bundleLines(upstreams, parts, count, signal));
  } catch (error) {
    if (signal.aborted)
      throw deadlineExceeded('upstream_deadline', 'Building the bundle of this event took too long. Retry.', { cause: error });
    const why = isServiceError(error) ? GONE[error.reason] : undefined;
    throw why === undefined ? error : await gone(upstreams, parts, why);
  }
}

/** Ordinals of an epoch have no gaps, so the entry count is known without reading. */
async function refuseBeyondBounds(upstreams: Upstreams, parts: BundleParts): Promise<void> {
  const { record, checkpoint } = parts;
  if (record.closingOrdinal === 0) throw await gone(upstreams, parts, 'the log entry that closed its window was not recorded');
  const entryTotal = record.closingOrdinal - (checkpoint?.ordinal ?? 0);
  if (entryTotal <= ENTRIES_MAX) return;
  if (checkpoint === null) throw await gone(upstreams, parts, 'no preceding checkpoint is retained');
  const msg = `requires up to ${entryTotal} log entries to recompute; a bundle holds at most ${ENTRIES_MAX}`;
  throw new InvalidRequest([{ loc: ['path', 'event_id'], msg, type: 'result_too_large' }]);
}

async function gone({ marketData }: Upstreams, { record }: BundleParts, why: string): Promise<Error> {
  const oldestMs = await oldestRetained(marketData, record.symbol);
  return failedPrecondition('beyond_retention', `The packet cannot be recomputed: ${why}.`, {
    metadata: oldestMs === null ? {} : { oldest_ms: String(oldestMs) },
  });
}
