import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openRecording, readInstrumentDescription, type RecordingFile, recordingLineBatches } from '../src/index';
import { fixturePath } from './open-files';

/** One recording per format, with a line that its reader skips. */
const recordings: readonly (readonly [format: string, otherLine: string, ...files: string[]])[] = [
  ['binance-coinm', 'x', 'btcusd_perp.txt'],
  ['binance-usdm', 'x', 'btcusdt.txt'],
  ['bybit', 'x', 'btcusdt-dogeusdt.jsonl'],
  ['csv', 'x', 'book.csv', 'trades.csv', 'context.csv', 'liquidations.csv'],
  ['hyperliquid-collector', 'x', 'hand_orderbooks_BTC.csv', 'hand_prices_BTC.csv', 'hand_trades_BTC.csv'],
  ['market-state-rows', '{"schema":"market_state_packet_row.v1"}', 'rows.ndjson'],
];

/** Instrument of the CSV files. */
const described = readInstrumentDescription('symbol=BTCUSD-PERP,venue=northbay,venue_instrument=XBT/USD');

const PADDING = ' '.repeat(8_000);
const OTHER_LINES = 2_000;
const CHUNK_LINES = 25;
const MEBIBYTE = 1_048_576;

/** The file followed by 16 MB of skipped lines. */
function longFile(path: string, name: string, otherLine: string): RecordingFile {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield readFileSync(path);
    const lines = Buffer.from(`${otherLine}${PADDING}\n`.repeat(CHUNK_LINES));
    for (let total = 0; total < OTHER_LINES; total += CHUNK_LINES) yield lines;
  }
  return { name, lines: { [Symbol.asyncIterator]: () => recordingLineBatches(chunks()) }, isRepeatable: true };
}

function usedMiB(): number {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / MEBIBYTE;
}

test('an open recording of any format keeps nothing of the lines that were looked at', async () => {
  const beforeMiB = usedMiB();
  const open: Awaited<ReturnType<typeof openRecording>>[] = [];
  for (const [format, otherLine, ...names] of recordings) {
    const files = names.map((name) => longFile(fixturePath(format, name), name, otherLine));
    open.push(await openRecording(files, format === 'csv' ? { instrument: described } : { symbol: 'BTCUSD-PERP' }));
  }
  // A single reader that retained its lines would use 16 MB.
  expect(usedMiB() - beforeMiB).toBeLessThan(8);
  for (const recording of open) {
    expect((await recording.events.next()).done).toBe(false);
    await recording.events.return(undefined);
  }
});
