import { DuckDBInstance } from '@duckdb/node-api';
import type { ExportSpec } from '../jobs/job';
import { selectionOf } from './column-sql';

const spec: ExportSpec = {
  dataset: 'trades',
  symbols: ['A-PERP'],
  fromMs: 0,
  toMs: 1,
  asOfMs: 1,
  format: 'parquet',
  compression: 'none',
  intervalMs: 0,
  depth: 0,
  columns: ['exchange_time_utc', 'venue_id', 'price'],
};

/** Cells of a file with one row per venue id; `more` adds expressions to the SELECT list. */
async function cells(format: ExportSpec['format'], ids: readonly string[], more = ''): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    await connection.run(`SET TimeZone = 'America/New_York'`);
    const rows = ids.map((id) => `(1709164800123::BIGINT, '${id.replaceAll("'", "''")}', '-5')`).join(', ');
    const { list } = selectionOf({ ...spec, format }, 'A-PERP');
    const made = `SELECT ${list} FROM (VALUES ${rows}) AS t(exchange_ts_ms, venue_id, price)`;
    return (await connection.runAndReadAll(`SELECT *${more} FROM (${made})`)).getRowsJson();
  } finally {
    connection.closeSync();
  }
}

test('rows of another venue of a symbol have the symbol', () => {
  const { list } = selectionOf({ ...spec, columns: ['symbol', 'venue'] }, 'A-PERP@okx');
  expect(list).toBe(`'A-PERP' AS "symbol", "venue" AS "venue"`);
});

test('a time in Parquet has a zone: a filter by an instant is correct in any time zone of the reader', async () => {
  const [row] = await cells('parquet', ['1'], `, exchange_time_utc = TIMESTAMPTZ '2024-02-29 00:00:00.123Z'`);
  expect(row?.at(-1)).toBe(true);
});

test('in CSV an id that a spreadsheet would run has an apostrophe before it, and numbers are as they are', async () => {
  const ids = ['77', '=1+1', '+1', '-1', '@a', "'x", 'a=b'];
  expect(await cells('csv', ids)).toEqual(
    ['77', "'=1+1", "'+1", "'-1", "'@a", "''x", 'a=b'].map((id) => ['2024-02-29T00:00:00.123Z', id, '-5']),
  );
  expect((await cells('ndjson', ids)).map(([, id]) => id)).toEqual(ids);
});

test('the fields of a packet body that columns use are parsed once', () => {
  const { list, body } = selectionOf({ ...spec, dataset: 'packets', columns: ['severity_score', 'gap_flags', 'body'] }, 'A-PERP');
  expect(list).toBe('fields.event_severity.score AS "severity_score", fields.packet_quality.gap_flags AS "gap_flags", "body" AS "body"');
  expect(body).toBe(
    `from_json(body, '${JSON.stringify({
      state: 'VARCHAR',
      event_class: 'VARCHAR',
      event_profile: 'VARCHAR',
      transition_type: 'VARCHAR',
      event_severity: { severity_class: 'VARCHAR', score: 'DOUBLE' },
      novelty_score: 'DOUBLE',
      contradiction_score: 'DOUBLE',
      confidence: { label: 'VARCHAR', score: 'DOUBLE' },
      packet_quality: { state_margin: 'DOUBLE', gap_flags: ['VARCHAR'] },
      tags: ['VARCHAR'],
    })}') AS fields`,
  );
});
