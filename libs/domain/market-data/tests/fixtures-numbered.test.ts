import { rowsOf, withoutTicks } from './fixture-logs';
import { fixturePath, playFiles } from './open-files';

const SYMBOL = 'BTCUSD-PERP';
const play = (folder: string, file: string) => playFiles([fixturePath(folder, file)], SYMBOL);

const FIXTURES = [
  ['bybit-ws', 'btcusdt.txt'],
  ['bybit-inverse-ws', 'btcusd.txt'],
  ['okx-ws', 'btc-usdt-swap.txt'],
  ['kraken-ws', 'pf-xbtusd.txt'],
] as const;

it.each(FIXTURES)('%s: the log of its fixture', async (folder, file) => {
  const { events, rejections } = await play(folder, file);
  expect([withoutTicks(events), rejections]).toMatchSnapshot();
});

it.each(FIXTURES)('%s: sizes in base units, whose side a liquidation closed, and the hourly funding rate', async (folder, file) => {
  const { events } = await play(folder, file);
  const [book] = rowsOf(events, 'book');
  expect([
    book?.bids,
    rowsOf(events, 'trade').map(({ price, size, venue_size, aggressor_side }) => [price, size, venue_size, aggressor_side]),
    rowsOf(events, 'liquidation').map(({ position_side, price, size }) => [position_side, price, size]),
    rowsOf(events, 'context').map(
      ({ funding_rate, venue_funding_rate, funding_interval_hours, open_interest, mark_price, oracle_price, day_volume }) =>
        [funding_rate, venue_funding_rate, funding_interval_hours, open_interest, mark_price, oracle_price, day_volume].map(String),
    ),
  ]).toMatchSnapshot();
});
