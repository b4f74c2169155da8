import { csvLine, flattened, createRowWriter, type RowForm } from './row-writer';

const rows = [
  { state: 'depth_watch', severity: { score: 0.25 }, tags: ['a', 'b'], mid: null },
  { state: 'quiet, "still"', severity: { score: 1 }, tags: [], mid: 3 },
];

async function written(form: Partial<RowForm>, of: readonly Readonly<Record<string, unknown>>[] = rows): Promise<string> {
  const lines: string[] = [];
  const output = {
    write: (...more: readonly string[]) => Promise.resolve(lines.push(...more) > 0),
    handOn: () => undefined,
    isStyled: false,
  };
  const columns = ['state', 'severity.score', 'tags', 'mid'];
  const writer = createRowWriter(output, { format: 'table', columns, areChosen: false, isLive: false, ...form });
  for (const row of of) await writer.write(row);
  await writer.end();
  return lines.join('\n');
}

test('a table has its columns as wide as its rows, and says what was not reported', async () => {
  expect(await written({})).toBe(
    [
      'state           severity.score  tags           mid',
      'depth_watch               0.25  a, b  not reported',
      'quiet, "still"               1  none             3',
    ].join('\n'),
  );
  expect(await written({}, [])).toBe('no rows');
});

test('table and CSV name the venue of a symbol that has one, unless it has a column; JSON and chosen columns leave members alone', async () => {
  const hits = [
    { symbol: 'BTCUSD-PERP', data: { symbol: 'BTCUSD-PERP', venue: 'okx' } },
    { symbol: 'BTCUSD-PERP', venue: 'okx' },
  ];
  const columns = ['symbol', 'data.symbol'];
  expect(await written({ format: 'csv', columns }, hits)).toBe('symbol,data.symbol\nBTCUSD-PERP,BTCUSD-PERP@okx\nBTCUSD-PERP@okx,');
  expect((await written({ columns: ['symbol'] }, hits)).split('\n').slice(1)).toEqual(['BTCUSD-PERP', 'BTCUSD-PERP@okx']);
  expect(await written({ format: 'csv', columns: ['symbol', 'venue'] }, hits.slice(1))).toBe('symbol,venue\nBTCUSD-PERP,okx');
  expect(await written({ format: 'csv', columns: ['symbol'], areChosen: true }, hits.slice(1))).toBe('symbol\nBTCUSD-PERP');
  expect(JSON.parse(await written({ format: 'json', columns }, hits))).toEqual(hits);
});

test('CSV quotes what must be quoted, and leaves empty what was not reported', async () => {
  expect(await written({ format: 'csv' })).toBe('state,severity.score,tags,mid\ndepth_watch,0.25,a|b,\n"quiet, ""still""",1,,3');
  expect(await written({ format: 'csv' }, [])).toBe('state,severity.score,tags,mid');
  expect(csvLine([{ a: 1 }])).toBe('"{""a"":1}"');
});

test('json is one list, and ndjson a line for each row; chosen members are named by their paths', async () => {
  expect(JSON.parse(await written({ format: 'json' }))).toEqual(rows);
  expect(JSON.parse(await written({ format: 'json' }, []))).toEqual([]);
  expect((await written({ format: 'ndjson' })).split('\n').map((line) => JSON.parse(line) as unknown)).toEqual(rows);
  const chosen = await written({ format: 'ndjson', areChosen: true, columns: ['severity.score', 'absent'] });
  expect(chosen).toBe('{"severity.score":0.25,"absent":null}\n{"severity.score":1,"absent":null}');
});

test('members of an object are listed by their paths, without what every answer says', () => {
  expect(flattened({ a: 1, b: { c: [1], d: { e: null } }, meta: { x: 1 } })).toEqual([
    ['a', 1],
    ['b.c', [1]],
    ['b.d.e', null],
  ]);
});
