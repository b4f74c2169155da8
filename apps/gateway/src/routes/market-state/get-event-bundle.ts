import { deadlineExceeded, failedPrecondition, isServiceError, unavailable } from '@market-state/errors';
import { timeLimit } from '@market-state/lifecycle';
import { readEventPacket } from '../../clients/packets/read-packet';
import { oldestKept } from '../../clients/retention';
import type { Upstreams } from '../../clients/upstreams';
import { InvalidRequest } from '../../serving/errors/problem';
import type { FileAnswer, Handler } from '../../serving/answers/handler';
import { parseInstant } from '../../serving/meta/instant';
import { type BundleCount, bundleLines, type BundleParts } from './events/bundle-lines';
import { checkpointBefore } from './events/checkpoint-before';
import { type Packed, packLines } from './events/pack-lines';

/** Entries of one bundle: more than twice the quarter of an hour of a busy symbol. The document says the same. */
const ENTRIES_MAX = 50_000;
/** Bundles made at once by one gateway: each takes its turns with every other answer. */
const MAKING_MAX = 4;
/** Time to make one, milliseconds. */
const DEADLINE_MS = 20_000;

/** What the services say where a packet cannot be made again any more, and what callers are told. */
const GONE: Readonly<Record<string, string>> = {
  log_not_retained: 'the log entries before it are no longer kept',
  log_incomplete: 'log entries between the checkpoint before it and its window are missing',
  checkpoint_not_found: 'the checkpoint before it is no longer kept',
};

/** Makes the file whole before any of it is sent, so that its length, digest and charge are known, and what fails is an error answer. */
export function getEventBundle(upstreams: Upstreams): Handler<'getEventBundle'> {
  let making = 0;
  return async ({ input }): Promise<FileAnswer> => {
    if (making >= MAKING_MAX) throw unavailable('overloaded', 'Too many bundles are being made at once; try again in a few seconds.');
    making += 1;
    try {
      const { record } = await readEventPacket(upstreams, input.path.event_id, parseInstant(input.query.as_of) ?? 0);
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
    } finally {
      making -= 1;
    }
  };
}

async function pack(upstreams: Upstreams, parts: BundleParts, count: BundleCount): Promise<Packed> {
  const signal = timeLimit(DEADLINE_MS);
  try {
    return await packLines(bundleLines(upstreams, parts, count, signal));
  } catch (error) {
    if (signal.aborted) throw deadlineExceeded('upstream_deadline', 'The bundle of this event took too long to make.', { cause: error });
    const why = isServiceError(error) ? GONE[error.reason] : undefined;
    throw why === undefined ? error : await gone(upstreams, parts, why);
  }
}

/** The entries of an epoch are numbered without gaps, so that more than there can be need not be read to be refused. */
async function refuseBeyondBounds(upstreams: Upstreams, parts: BundleParts): Promise<void> {
  const { record, checkpoint } = parts;
  if (record.closingOrdinal === 0) throw await gone(upstreams, parts, 'which log entry closed its window was not kept');
  const entryTotal = record.closingOrdinal - (checkpoint?.ordinal ?? 0);
  if (entryTotal <= ENTRIES_MAX) return;
  if (checkpoint === null) throw await gone(upstreams, parts, 'no checkpoint before it is kept');
  const msg = `takes up to ${entryTotal} log entries to make again; a bundle holds at most ${ENTRIES_MAX}`;
  throw new InvalidRequest([{ loc: ['path', 'event_id'], msg, type: 'result_too_large' }]);
}

async function gone({ marketData }: Upstreams, { record }: BundleParts, why: string): Promise<Error> {
  const oldestMs = await oldestKept(marketData, record.symbol);
  return failedPrecondition('beyond_retention', `The packet cannot be made again: ${why}.`, {
    metadata: oldestMs === null ? {} : { oldest_ms: String(oldestMs) },
  });
}
