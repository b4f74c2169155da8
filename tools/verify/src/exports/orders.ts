import { createMessage, exports } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { delay } from '@market-state/lifecycle';
import type { ExportMarket } from '@market-state/recorded-market';
import { oneOf, type Tenant } from '@market-state/testing';
import type { Exports } from './export-system';

const { Compression, Dataset, FileFormat } = exports;
const DATASETS = [Dataset.TRADES, Dataset.BOOK, Dataset.CONTEXT, Dataset.CANDLES] as const;
const FORMATS = [FileFormat.PARQUET, FileFormat.CSV, FileFormat.NDJSON] as const;
const COMPRESSIONS = [Compression.ZSTD, Compression.GZIP, Compression.NONE] as const;
const AGAIN_MS = 500;
/** Of the result: as much as any plan allows. */
const PLAN_ID = 'enterprise';

/** An order of these rows; what is left out has its default. */
export function specOf(spec: Partial<exports.ExportSpec>): exports.ExportSpec {
  return createMessage(exports.ExportSpec, spec);
}

/** An export of one symbol, or of all, with a format that chance gives. */
export function anySpec({ symbols, startMs, endMs }: ExportMarket, random: () => number): exports.ExportSpec {
  const symbol = oneOf(symbols, random);
  return specOf({
    dataset: oneOf(DATASETS, random),
    symbols: symbol === undefined || random() < 0.3 ? [...symbols] : [symbol],
    fromMs: startMs,
    toMs: endMs,
    format: oneOf(FORMATS, random),
    compression: oneOf(COMPRESSIONS, random),
  });
}

/** An order as the gateway sends it. */
export function orderOf({ tenantId, keyId }: Tenant, operationId: string, spec: exports.ExportSpec): exports.CreateJobRequest {
  return {
    caller: { tenantId, keyId, accountId: '' },
    planId: PLAN_ID,
    operationId,
    requestId: `req_${operationId}`,
    spec,
    quoteId: '',
  };
}

/** Orders until the order is taken, under the same operation, as a client does whose service was away. */
export async function orderUntilTaken(calls: Exports, order: exports.CreateJobRequest): Promise<string> {
  for (;;) {
    try {
      const { job, refusal } = await calls.createJob(order);
      if (job !== undefined) return job.jobId;
      throw new Error(`The order was refused: ${JSON.stringify(refusal)}`);
    } catch (error) {
      if (!mayPass(error)) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** Whether a call failed for a reason that passes by itself: the service, or what it needs, is away. */
export function mayPass(error: unknown): boolean {
  return isServiceError(error) && ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'CANCELLED'].includes(error.code);
}
