import { fileExtension } from '@market-state/export-schema';
import type { PlannedPart, SourceHour } from '../jobs/part';
import type { ExportSpec } from '../jobs/spec';
import { estimatedBytes } from './file-size';
import type { PlannedDay, PlannedSymbol } from './plan-symbol';

const DAY_MS = 86_400_000;

/** A file is made of so many bytes at most, where whole hours allow it. */
const PART_BYTES_MAX = 512 * 1_024 * 1_024;

/**
 * The files of an export: one for each symbol and UTC day with rows, and more where that would be larger than `bytesMax`, each of whole
 * hours.
 */
export function planParts(spec: ExportSpec, symbols: readonly PlannedSymbol[], bytesMax = PART_BYTES_MAX): PlannedPart[] {
  let number = 0;
  return symbols.flatMap((planned) =>
    planned.days.flatMap((day) =>
      splitDay(spec, day, bytesMax).map(({ hours, rows, suffix }): PlannedPart => {
        number += 1;
        return {
          number,
          symbol: planned.symbol,
          dayMs: day.dayMs,
          name: nameOf(spec, planned.symbol, day.dayMs, suffix),
          plan: {
            fromMs: Math.max(spec.fromMs, day.dayMs),
            toMs: Math.min(spec.toMs, day.dayMs + DAY_MS),
            toOrdinal: planned.toOrdinal,
            hours,
          },
          rowTotal: rows,
          byteTotal: estimatedBytes(spec, rows),
        };
      }),
    ),
  );
}

interface Piece {
  readonly hours: readonly SourceHour[];
  readonly rows: number;
  /** Of the file's name. */
  readonly suffix: string;
}

function splitDay(spec: ExportSpec, { hours, rows }: PlannedDay, bytesMax: number): Piece[] {
  if (hours.length === 0 || estimatedBytes(spec, rows) <= bytesMax) return [{ hours, rows, suffix: '' }];
  const pieces: { hours: SourceHour[]; rows: number }[] = [];
  for (const hour of hours) {
    const current = pieces.at(-1);
    if (current !== undefined && estimatedBytes(spec, current.rows + hour.rows) <= bytesMax) {
      current.hours.push(hour);
      current.rows += hour.rows;
    } else pieces.push({ hours: [hour], rows: hour.rows });
  }
  if (pieces.length === 1) return [{ hours, rows, suffix: '' }];
  return pieces.map((piece, index) => ({ ...piece, suffix: `_p${String(index + 1).padStart(2, '0')}` }));
}

/** `trades_BTCUSD-PERP_20260101.parquet`: of our own words alone. */
function nameOf({ dataset, format, compression }: ExportSpec, symbol: string, dayMs: number, suffix: string): string {
  const day = new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '');
  return `${dataset}_${symbol}_${day}${suffix}.${fileExtension(format, compression)}`;
}
