import type { Logger } from '@market-state/logging';
import type { ListedPerpetual } from '@market-state/market-data';
import { createPool, inTransaction, selectRows } from '@market-state/postgres';

/** Facts of a symbol's instrument; `listed` is absent if the metadata no longer names it. */
export interface ReadFacts {
  readonly symbol: string;
  readonly venue: string;
  readonly venueInstrument: string;
  readonly listed: ListedPerpetual | undefined;
}

export interface InstrumentFactStore {
  /**
   * Begins a new row of each symbol whose facts differ from its current row, which ends then. A time up to that of the
   * current row is moved after it.
   * @returns the symbols with a new row
   */
  record(facts: readonly ReadFacts[], nowMs: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

const NO_LONGER_LISTED = 'the venue no longer lists it';
const COLUMNS = [
  ...['venue', 'venue_instrument', 'not_traded', 'quote', 'multiplier', 'tick_size', 'lot_size', 'contract_value', 'contract_size'],
  ...['funding_interval_hours', 'listed_ms', 'ends_ms'],
];

/** Feeds that read the same change at once leave one row: the lock on the current one orders them. */
const RECORD = `
WITH read AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS fact (
    symbol text, venue text, venue_instrument text, not_traded text, quote text, multiplier text, tick_size text, lot_size text,
    contract_value text, contract_size text, funding_interval_hours int, listed_ms bigint, ends_ms bigint
  )
), current AS (
  SELECT * FROM instrument_fact WHERE until_ms IS NULL AND symbol IN (SELECT symbol FROM read) FOR UPDATE
), changed AS (
  SELECT read.*, greatest($2::bigint, current.from_ms + 1) AS at_ms
  FROM read LEFT JOIN current USING (symbol)
  WHERE current.symbol IS NULL OR ${COLUMNS.map((name) => `read.${name} IS DISTINCT FROM current.${name}`).join(' OR ')}
), ended AS (
  UPDATE instrument_fact AS fact SET until_ms = changed.at_ms FROM changed
  WHERE fact.symbol = changed.symbol AND fact.until_ms IS NULL
  RETURNING fact.symbol
)
SELECT changed.*, (SELECT count(*) FROM ended) AS ended_total FROM changed`;

const BEGIN = `
INSERT INTO instrument_fact (symbol, from_ms, ${COLUMNS.join(', ')})
SELECT symbol, from_ms, ${COLUMNS.join(', ')} FROM jsonb_to_recordset($1::jsonb) AS fact (
  symbol text, from_ms bigint, venue text, venue_instrument text, not_traded text, quote text, multiplier text, tick_size text,
  lot_size text, contract_value text, contract_size text, funding_interval_hours int, listed_ms bigint, ends_ms bigint
)
ON CONFLICT DO NOTHING
RETURNING symbol`;

export function createInstrumentFactStore(databaseUrl: string, logger: Logger): InstrumentFactStore {
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'data-plane-feed-facts', max: 1 });
  return {
    record(facts, nowMs) {
      return inTransaction(pool, async (client) => {
        const changed = await selectRows<{ symbol: string; atMs: number }>(client, {
          text: RECORD,
          values: [JSON.stringify(facts.map(toRow)), nowMs],
        });
        const from = new Map(changed.map(({ symbol, atMs }) => [symbol, atMs]));
        const started = facts.filter(({ symbol }) => from.has(symbol)).map((each) => ({ ...toRow(each), from_ms: from.get(each.symbol) }));
        const inserted = await client.query<{ symbol: string }>(BEGIN, [JSON.stringify(started)]);
        return inserted.rows.map(({ symbol }) => symbol);
      });
    },
    close: () => pool.end(),
  };
}

function toRow({ symbol, venue, venueInstrument, listed }: ReadFacts) {
  const unit = listed === undefined || listed.unit === 'base' ? {} : listed.unit;
  return {
    symbol,
    venue,
    venue_instrument: venueInstrument,
    not_traded: listed === undefined ? NO_LONGER_LISTED : (listed.notTraded ?? null),
    quote: listed?.quote ?? null,
    multiplier: listed?.multiplier ?? null,
    tick_size: listed?.tickSize ?? null,
    lot_size: listed?.lotSize ?? null,
    contract_value: 'contractValue' in unit ? unit.contractValue : null,
    contract_size: 'contractSize' in unit ? unit.contractSize : null,
    funding_interval_hours: listed?.fundingIntervalHours ?? null,
    listed_ms: listed?.listedMs ?? null,
    ends_ms: listed?.endsMs ?? null,
  };
}
