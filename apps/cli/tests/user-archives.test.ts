import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@market-state/archive';
import { compressFrameSync } from 'lz4-napi';
import { createWorkplace } from './run';

const ROOT = join(import.meta.dirname, '../../..');
const FIXTURES = join(ROOT, 'libs/domain/market-data/fixtures');
const place = createWorkplace();
afterAll(() => place.remove());

function filesOf(format: string): readonly string[] {
  if (format === 'hyperliquid-archive') return [place.write('BTC.lz4', compressFrameSync(hourOfBooks()))];
  return readdirSync(join(FIXTURES, format)).map((name) => place.write(name, readFileSync(join(FIXTURES, format, name))));
}

/** `market_data/<date>/<hour>/l2Book/BTC.lz4`. */
function hourOfBooks(): string {
  const lines = Array.from({ length: 60 }, (_, index) => {
    const time = 1_700_000_000_000 + index * 500;
    const levels = [[{ px: '36500', sz: String(1 + (index % 3)), n: 1 }], [{ px: '36501', sz: '2', n: 1 }]];
    return JSON.stringify({
      time: new Date(time + 300).toISOString().slice(0, -1),
      ver_num: 1,
      raw: { channel: 'l2Book', data: { coin: 'BTC', time, levels } },
    });
  });
  return `${lines.join('\n')}\n`;
}

test.each(['tardis-csv', 'binance-vision', 'hyperliquid-archive'])(
  '%s: the rows of an archive have the packets of the archive',
  async (format) => {
    const files = filesOf(format);
    const rows = await place.run('rows', ...files);
    expect(rows.exitCode).toBe(0);
    const [label, again] = [await place.run('label', ...files), await place.run('label', place.write(`${format}.ndjson`, rows.stdout))];
    expect(label.lines.length).toBeGreaterThan(0);
    expect(again.stdout).toBe(label.stdout);
  },
);

test('the commands of the page on archives label its samples', async () => {
  const page = readFileSync(join(ROOT, 'docs/site/guides/label-your-archive.md'), 'utf8');
  const commands = [...page.matchAll(/^npx market-state (\w+) (libs\/\S+)\/\*\.csv(.*)$/gm)];
  expect(commands).toHaveLength(3);
  for (const [, command = '', folder = '', options = ''] of commands) {
    const files = readdirSync(join(ROOT, folder)).map((name) => join(ROOT, folder, name));
    const outcome = await place.run(command, ...files, ...options.trim().split(' '));
    expect(outcome.exitCode).toBe(0);
  }
  expect(await place.run('report', 'packets.ndjson', '--out', 'report.html')).toMatchObject({ exitCode: 0 });
});

describe('Parquet', () => {
  const INSTRUMENT = ['--instrument', 'symbol=BTCUSD-PERP,venue=northbay'];
  const csv = ['book.csv', 'trades.csv'].map((name) => place.write(name, readFileSync(join(FIXTURES, 'csv', name))));

  async function parquetOf(name: string, select: string): Promise<string> {
    const engine = await openEngine({ memoryMb: 256 });
    const from = `read_csv('${join(place.folder, name)}', all_varchar = true)`;
    await engine.run((connection) =>
      connection.run(`COPY (${select} FROM ${from}) TO '${join(place.folder, name)}.parquet' (FORMAT parquet)`),
    );
    engine.close();
    return `${name}.parquet`;
  }

  test('with mapped columns has the packets of the same rows as CSV', async () => {
    const files = [
      await parquetOf('book.csv', 'SELECT *'),
      await parquetOf(
        'trades.csv',
        'SELECT make_timestamp(exchange_time_ms::BIGINT * 1000) AS ts, price::DOUBLE AS px, size::DOUBLE AS qty, aggressor_side AS taker, trade_id AS tid, 7 AS other',
      ),
    ];
    const columns = ['--columns', 'exchange_time_ms=ts,price=px,size=qty,aggressor_side=taker,trade_id=tid'];
    const [plain, packed] = [
      await place.run('label', ...csv, ...INSTRUMENT),
      await place.run('label', ...files, ...INSTRUMENT, ...columns),
    ];
    expect(packed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(packed.stdout).toBe(plain.stdout);
  });
});
