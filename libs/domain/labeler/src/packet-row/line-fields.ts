import { marketFields, RowFields, SECONDARY_MARKET_FORM, SYMBOL_FORM } from '@market-state/market-data';

/** `faults` lists every violation of the line's schema. */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly faults: readonly string[];

  constructor(schema: string, faults: readonly string[]) {
    super(`not a ${schema}: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

const WINDOW_MS = 10_000;
const IDS = {
  pkt: /^pkt_[0-9a-hjkmnp-tv-z]{26}$/,
  evt: /^evt_[0-9a-hjkmnp-tv-z]{26}$/,
  key: /^key_[0-9a-hjkmnp-tv-z]{26}$/,
};

/**
 * `check` must read every field. The parser throws a LineError with every fault. The `symbol` of what it returns is the
 * key of a market; the line has `symbol` and, away from the symbol's primary venue, `market`.
 */
export function lineReader<T>(schema: string, check: (fields: RowFields) => void): (json: unknown) => T {
  return (json) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new LineError(schema, ['it must be an object']);
    const faults: string[] = [];
    const fields = new RowFields(json as Readonly<Record<string, unknown>>, faults);
    if (fields.value('schema') !== schema) fields.fault('schema', `must be ${schema}`, '');
    check(fields);
    fields.end();
    if (faults.length > 0) throw new LineError(schema, faults);
    const { market, ...named } = json as Readonly<Record<string, unknown>>;
    return (market === undefined ? json : { ...named, symbol: market }) as T;
  };
}

/** Inverse of the reader: the fields of a line by which it names a market. */
export function lineOf<T extends { readonly symbol: string }>(read: T): object {
  return { ...read, ...marketFields(read.symbol) };
}

export function symbolField(fields: RowFields): void {
  fields.matching('symbol', SYMBOL_FORM, 'of the form <BASE>USD-PERP');
  fields.optionalMatching('market', SECONDARY_MARKET_FORM, 'of the form <BASE>USD-PERP@<venue>');
}

export function windowEndField(fields: RowFields): void {
  const windowEndMs = fields.integer('window_end_ms');
  if (windowEndMs % WINDOW_MS !== 0) fields.fault('window_end_ms', `must be a multiple of ${WINDOW_MS}`, 0);
}

export function digestFields(fields: RowFields, ...names: readonly string[]): void {
  for (const name of names) fields.matching(name, /^[0-9a-f]{64}$/, '64 lower-case hex characters');
}

export function idField(fields: RowFields, name: string, prefix: keyof typeof IDS): void {
  fields.matching(name, IDS[prefix], `${prefix}_ and 26 Crockford base32 characters`);
}
