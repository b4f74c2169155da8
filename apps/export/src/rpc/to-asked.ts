import type { exports } from '@market-state/contracts';
import { TIMEFRAMES } from '@market-state/export-schema';
import { fromProtoCompression, fromProtoDataset, fromProtoFormat } from './words';

/** A request in the words of the public interface, as evidence: what was left open is null. */
export function toAsked(spec: exports.ExportSpec | undefined) {
  if (spec === undefined) return null;
  const { symbols, fromMs, toMs, intervalMs, depth, columns } = spec;
  const utc = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());
  return {
    dataset: fromProtoDataset(spec.dataset) ?? null,
    symbols: symbols.length === 0 ? null : symbols,
    from: utc(fromMs),
    to: utc(toMs),
    format: fromProtoFormat(spec.format) ?? null,
    compression: fromProtoCompression(spec.compression) ?? null,
    tf: Object.entries(TIMEFRAMES).find(([, lengthMs]) => lengthMs === intervalMs)?.[0] ?? null,
    depth: depth === 0 ? null : depth,
    columns: columns.length === 0 ? null : columns,
  };
}
