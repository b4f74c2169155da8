import { z } from 'zod';
import type { InstrumentRow, DescribedInstrument } from './played-instrument';
import { SYMBOL_FORM } from './market';
import { VENUE_NAME_FORM, VENUE_NAME_SENTENCE } from './venue-name';
import { venueOf } from './venues';
import { InstrumentTableError, readInstrumentRows } from './instrument-rows';
import { toSentence } from './issue-sentences';

export class InstrumentDescriptionError extends Error {
  override readonly name = 'InstrumentDescriptionError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

/** A description's numbers may be text. */
const givenLimitMs = z.coerce
  .number()
  .int('must be a whole number of milliseconds')
  .min(1, 'must be 1 or more')
  .max(86_400_000, 'must be 86400000 or less');
const givenDecimal = z.coerce
  .string()
  .regex(/^(?=.*[1-9])(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,9})?$/, 'must be a plain positive number, such as 10 or 0.01');

const description = z
  .strictObject(
    {
      symbol: z
        .string('is required: <BASE>USD-PERP, such as SOLUSD-PERP')
        .regex(SYMBOL_FORM, 'must be <BASE>USD-PERP, such as SOLUSD-PERP'),
      venue: z
        .string('is required: the name of the venue, such as kraken')
        .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens, such as kraken'),
      venue_instrument: z.string().regex(VENUE_NAME_FORM, VENUE_NAME_SENTENCE).optional(),
      contract_value: givenDecimal.optional(),
      contract_size: givenDecimal.optional(),
      book_staleness_ms: givenLimitMs.default(10_000),
      trade_staleness_ms: givenLimitMs.default(60_000),
      context_staleness_ms: givenLimitMs.default(120_000),
      closing_lag_ms: givenLimitMs.max(60_000, 'must be 60000 or less').default(1_000),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `${issue.keys.join(', ')}: unknown; expected symbol, venue, venue_instrument, contract_value, contract_size, book_staleness_ms, ` +
            'trade_staleness_ms, context_staleness_ms, closing_lag_ms'
          : undefined,
    },
  )
  .refine(({ contract_value: value, contract_size: size }) => value === undefined || size === undefined, {
    path: ['contract_size'],
    message: 'excludes contract_value: a contract is worth either a dollar amount or an amount of the coin',
  });

/**
 * Parses an instrument description: a JSON object, or
 * `symbol=SOLUSD-PERP,venue=binance-coinm,venue_instrument=SOLUSD_PERP,…`.
 * @throws InstrumentDescriptionError listing every fault
 */
export function readInstrumentDescription(text: string): DescribedInstrument {
  const read = description.safeParse(text.trimStart().startsWith('{') ? jsonOf(text) : pairsOf(text), { error: toSentence });
  if (!read.success)
    throw new InstrumentDescriptionError(
      read.error.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')} ${message}`)),
    );
  const { contract_size: contractSize, ...fields } = read.data;
  const { symbol, venue, venue_instrument: venueInstrument = symbol, contract_value: contractValue } = fields;
  const known = venueOf(venue);
  if (known?.formats.length) {
    // A CSV file may count contracts where the venue's messages do not.
    const own = known.unitOf?.(venueInstrument) === 'contract' ? { contract_size: contractSize } : {};
    return { ...tableRow({ ...fields, ...own, venue_instrument: venueInstrument }), ...(contractSize && { contractSize }) };
  }
  return {
    feed: 'recording',
    symbol,
    venue,
    venueInstrument,
    ...(contractValue !== undefined && { contractValue }),
    ...(contractSize !== undefined && { contractSize }),
    channels: ['book', 'trade'],
    bookStalenessMs: fields.book_staleness_ms,
    tradeStalenessMs: fields.trade_staleness_ms,
    contextStalenessMs: fields.context_staleness_ms,
    closingLagMs: fields.closing_lag_ms,
  };
}

/** For known venues, a description must pass the checks of the instrument table. */
function tableRow(fields: object): InstrumentRow {
  try {
    const [row] = readInstrumentRows([{ feed: 'recording', channels: ['book', 'trades'], ...fields }]);
    if (row === undefined) throw new InstrumentTableError([]);
    return row;
  } catch (error) {
    if (error instanceof InstrumentTableError)
      throw new InstrumentDescriptionError(error.faults.map((fault) => fault.replace(/^row 1: /, '')));
    throw error;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InstrumentDescriptionError(['is not valid JSON']);
  }
}

function pairsOf(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  const broken = pairs.filter((pair) => pair.length !== 2).map((pair) => `${JSON.stringify(pair.join('='))} is not name=value`);
  if (broken.length > 0) throw new InstrumentDescriptionError(broken);
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name.trim(), value.trim()]));
}
