import type { SourceKind } from '@market-state/market-data';
import type { Pool } from 'pg';
import { reading } from './store-failure';

export interface ReportedInstrument {
  readonly symbol: string;
  readonly venue: string;
  readonly venueInstrument: string;
  /** US dollars per contract; undefined if quantities are in base units. */
  readonly contractValue: string | undefined;
  readonly sourceKind: SourceKind;
}

interface Columns {
  readonly symbol: string;
  readonly venue: string;
  readonly venue_instrument: string;
  readonly contract_value: string | null;
  readonly source_kind: SourceKind;
}

/** Rejects as `storeFailure`. */
export async function readReportedInstruments(pool: Pool): Promise<ReportedInstrument[]> {
  const { rows } = await reading(
    pool.query<Columns>(
      'SELECT symbol, venue, venue_instrument, trim_scale(contract_value)::text AS contract_value, source_kind FROM served_instrument',
    ),
  );
  return rows.map((row) => ({
    symbol: row.symbol,
    venue: row.venue,
    venueInstrument: row.venue_instrument,
    contractValue: row.contract_value ?? undefined,
    sourceKind: row.source_kind,
  }));
}
