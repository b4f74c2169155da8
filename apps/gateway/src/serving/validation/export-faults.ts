import { COMPRESSIONS, DATASETS, DEFAULT_DATASET, DEFAULT_FORMAT, DEPTH_MAX, exportFaults, FORMATS } from '@market-state/export-schema';
import type { FaultItem } from '../errors/fault-item';
import { parseInstant } from './instant';

function oneOf<T>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((word) => word === value);
}

function textList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function instantOf(value: unknown): number | undefined {
  return typeof value === 'string' ? (parseInstant(value) ?? undefined) : undefined;
}

function depthOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEPTH_MAX ? Number(value) : undefined;
}

/** Fields of an order that do not go with the others. What a schema finds wrong is left out here, and so is what depends on it. */
export function exportBodyFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const sent = body as Readonly<Record<string, unknown>>;
  const dataset = oneOf(sent['dataset'] ?? DEFAULT_DATASET, DATASETS);
  const format = oneOf(sent['format'] ?? DEFAULT_FORMAT, FORMATS);
  const faults = exportFaults({
    dataset: dataset ?? DEFAULT_DATASET,
    format: format ?? DEFAULT_FORMAT,
    compression: oneOf(sent['compression'], COMPRESSIONS),
    tf: typeof sent['tf'] === 'string' ? sent['tf'] : undefined,
    depth: depthOf(sent['depth']),
    columns: textList(sent['columns']),
    fromMs: instantOf(sent['from']),
    toMs: instantOf(sent['to']),
  });
  const unsure = new Set([
    ...(dataset === undefined ? ['tf', 'depth', 'columns'] : []),
    ...(format === undefined ? ['compression', 'columns'] : []),
  ]);
  return faults.filter(({ field }) => !unsure.has(field)).map(({ field, message, type }) => ({ loc: ['body', field], msg: message, type }));
}
