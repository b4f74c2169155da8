import { readFileSync } from 'node:fs';
import { openRecording, type OpenRecording, readInstrumentDescription, UnknownSymbolError, venueOf } from '../src/index';
import { fixturePath, play, textFile } from './open-files';

/** A fixture's lines under another instrument name. */
function renamed(path: readonly string[], from: string, to: string): () => ReturnType<typeof textFile>[] {
  const named = new RegExp(`(?<=["."])${from}(?=["\\\\])|(?<=")${from.toLowerCase()}(?=@)`, 'g');
  const lines = readFileSync(fixturePath(...path), 'utf8')
    .split('\n')
    .filter((line) => line.search(named) >= 0 || line.includes('"lastUpdateId"') || line.includes('"addr"'))
    .map((line) => line.replaceAll(named, (found) => (found === from ? to : to.toLowerCase())));
  return () => [textFile(path.join('/'), lines.join('\n'))];
}

/** Books and trades, without the symbol. */
async function marketOf(opened: Promise<OpenRecording>): Promise<readonly object[]> {
  const { events } = await play(await opened);
  return events.filter(({ kind }) => kind === 'book' || kind === 'trade').map((event) => ({ ...event, symbol: '', ordinal: 0 }));
}

const HYPERLIQUID = ['hyperliquid-ws', 'btc.txt'] as const;
const USDM = ['binance-usdm', 'btcusdt.txt'] as const;
const BYBIT = ['bybit', 'btcusdt-dogeusdt.jsonl'] as const;

it.each([
  ['xyz:SP500', HYPERLIQUID, 'BTC', 'SP500USD-PERP'],
  ['币安人生USDT', USDM, 'BTCUSDT', 'BINANCELIFEUSD-PERP'],
  ['BTCUSDC', USDM, 'BTCUSDT', 'BTCUSD-PERP'],
  ['币安人生USDT', BYBIT, 'BTCUSDT', 'BINANCELIFEUSD-PERP'],
])('%s in %j has a description in the error, which plays it', async (name, path, from, symbol) => {
  const files = renamed(path, from, name);
  const [venue] = path;
  const error = await openRecording(files()).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(UnknownSymbolError);
  const base = symbol.startsWith('BINANCELIFE') ? '<BASE>USD-PERP' : symbol;
  expect((error as Error).message).toContain(`--instrument symbol=${base},venue=${venue.replace('-ws', '')},venue_instrument=${name}`);
  const instrument = readInstrumentDescription(`symbol=${symbol},venue=${venue.replace('-ws', '')},venue_instrument=${name}`);
  const market = await marketOf(openRecording(files(), { instrument }));
  expect(market.length).toBeGreaterThan(3);
  expect(market).toEqual(await marketOf(openRecording(renamed(path, from, from)(), { symbol: 'BTCUSD-PERP' })));
});

it.each([
  ['@107', HYPERLIQUID, 'BTC', 'hyperliquid', 'is a spot pair'],
  ['PURR/USDC', HYPERLIQUID, 'BTC', 'hyperliquid', 'is a spot pair'],
  ['BTCUSDT_240927', ['binance-coinm', 'btcusd_perp.txt'], 'BTCUSD_PERP', 'binance-usdm', 'is a delivery contract'],
  ['BTCUSD_240927', ['binance-coinm', 'btcusd_perp.txt'], 'BTCUSD_PERP', 'binance-coinm', 'is a delivery contract'],
])('%s can not be played, and both the recording and a description of it say why', async (name, path, from, venue, reason) => {
  await expect(openRecording(renamed(path, from, name)())).rejects.toThrow(`${name} ${reason}`);
  expect(() => readInstrumentDescription(`symbol=BTCUSD-PERP,venue=${venue},venue_instrument=${name}`)).toThrow(`${name} ${reason}`);
});

it.each([
  ['hyperliquid', 'kPEPE', { type: 'symbol', symbol: 'PEPEUSD-PERP' }],
  ['binance-usdm', '1000SATSUSDT', { type: 'symbol', symbol: 'SATSUSD-PERP' }],
  ['bybit', 'DOGEUSDT', { type: 'symbol', symbol: 'DOGEUSD-PERP' }],
  ['bybit', 'BTCPERP', expect.objectContaining({ type: 'to_describe', base: 'BTC' })],
  ['bybit', 'BTC-27SEP24', expect.objectContaining({ type: 'not_played' })],
  ['binance-coinm', 'SOLUSD_PERP', expect.objectContaining({ type: 'to_describe' })],
])('%s reads %s', (venue, name, expected) => {
  expect(venueOf(venue)?.parseName?.(name)).toEqual(expected);
});
