import type { CellValue, Column } from '@market-state/archive';

/** A value of a table as a file has it: the driver gives 64 bit integers as text. */
export function toCell({ type }: Column, value: unknown): CellValue {
  if (value === null) return null;
  return type === 'int64' ? Number(value) : (value as CellValue);
}
