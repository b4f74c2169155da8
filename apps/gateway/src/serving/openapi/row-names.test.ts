import { columnsOf } from '@market-state/export-schema';
import { NEWEST_SHAPES, REPLAYED_SHAPES } from '../../routes/data/queries/shape';
import { dereference, openApiDocument, type Schema } from './document';

type Fields = Readonly<Record<string, Schema>>;

/** Fields of a schema, including those of its parts. */
function fieldsOf(schema: Schema): Fields {
  const parts = ((schema['allOf'] ?? []) as readonly Schema[]).map(fieldsOf);
  return Object.assign({}, ...parts, schema['properties']) as Fields;
}

const schemas: readonly (readonly [string, Fields])[] = Object.keys(openApiDocument.components.schemas).map((name) => [
  name,
  fieldsOf(dereference(openApiDocument, openApiDocument.components.schemas[name] ?? {})),
]);

const named = (name: string): Fields => schemas.find(([each]) => each === name)?.[1] ?? {};

/** Trades and liquidations, by schema name or content; answers that list them have `meta`. */
const rows = schemas.filter(
  ([name, fields]) =>
    !('meta' in fields) &&
    (/Trade|Liquidation/.test(name) ||
      ('price' in fields && ('aggressor_side' in fields || 'position_side' in fields || 'side' in fields))),
);

/** Names of market values: those of recorded rows, and those that answers add. */
const NAMES: Fields = {
  ...named('RecordedTrade'),
  ...named('RecordedLiquidation'),
  ...named('RecordedBook'),
  ...named('RecordedContext'),
  ...named('TradeDataRow'),
  venue_clock_ahead: { type: 'boolean' },
  notional_usd: { type: 'string', 'x-unit': 'quote_currency' },
};

/** Fields that contain the row or its kind. */
const AROUND: ReadonlySet<string> = new Set(['channel', 'kind', 'row']);

/** Type and unit of a field, nullable or not. */
function kindOf({ type = [], ...schema }: Schema): unknown {
  return { types: [type].flat().filter((each) => each !== 'null'), unit: schema['x-unit'] };
}

/** Current name of a deprecated field. */
function successorOf(schema: Schema): string | undefined {
  return /^Earlier name of `(\w+)`, sent until \d{4}-\d{2}-\d{2}\b/.exec(String(schema['description']))?.[1];
}

/** Fields that are not deprecated. */
function lasting(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.['deprecated'] !== true);
}

/** Expects fields to have the types and units of recorded rows. */
function compareKinds(all: typeof schemas, isCompared: (field: string) => boolean): void {
  const values = all.flatMap(([name, fields]) =>
    lasting(fields)
      .filter(isCompared)
      .map((field) => ({ name, field, kind: kindOf(fields[field] ?? {}) })),
  );
  expect(values).toEqual(values.map(({ name, field }) => ({ name, field, kind: kindOf(NAMES[field] ?? {}) })));
}

test('a trade or liquidation has one name for each field, of one type and unit, in every schema', () => {
  expect(rows.map(([name]) => name)).toEqual(
    expect.arrayContaining(['TradeRow', 'LiquidationRow', 'ExcerptRow', 'RecordedTrade', 'RecordedLiquidation']),
  );
  compareKinds(rows, (field) => !AROUND.has(field));
});

test('a book has no field of a row by another type or unit', () => {
  const books = schemas.filter(([, fields]) => 'bids' in fields);
  expect(books.map(([name]) => name)).toEqual(expect.arrayContaining(['Book', 'ExcerptRow', 'RecordedBook']));
  compareKinds(books, (field) => field in NAMES && !AROUND.has(field));
});

test('an earlier name says until when it is sent, and comes with the field that it names', () => {
  const earlier = schemas.flatMap(([name, fields]) =>
    Object.entries(fields).flatMap(([field, schema]) => (schema['deprecated'] === true ? [{ name, field, schema, fields }] : [])),
  );
  expect(earlier.map(({ name, field }) => `${name}.${field}`)).toEqual(
    expect.arrayContaining(['Book.sequence', 'ExcerptRow.side', 'LiquidationRow.liquidation_id', 'TradeRow.side', 'TradeRow.trade_id']),
  );
  for (const { name, field, schema, fields } of earlier)
    expect([name, field, lasting(fields)]).toEqual([name, field, expect.arrayContaining([successorOf(schema) ?? 'a successor'])]);
});

test.each(['trades', 'liquidations'] as const)('tables and files of %s have the names of their rows', (channel) => {
  const newest = named(channel === 'trades' ? 'TradeRow' : 'LiquidationRow');
  for (const { name } of NEWEST_SHAPES[channel].columns) expect(Object.keys(newest)).toContain(name);
  const others = [...REPLAYED_SHAPES[channel].columns, ...columnsOf({ dataset: channel, format: 'parquet' })];
  for (const { name } of others) expect(Object.keys(NAMES)).toContain(name);
});
