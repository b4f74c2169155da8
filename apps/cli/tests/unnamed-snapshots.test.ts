import { createWorkplace } from './run';
import { bareSnapshot, diff, market, merged, ticker, type UsdmInstrument } from './usdm-lines';

const place = createWorkplace();
afterAll(() => place.remove());

const AKRO: UsdmInstrument = { name: 'AKROUSDT', bid: '0.0173', ask: '0.0174' };
const SUSHI: UsdmInstrument = { name: 'SUSHIUSDT', bid: '7.611', ask: '7.612' };
/** Another of AKRO's price. */
const DENT: UsdmInstrument = { name: 'DENTUSDT', bid: '0.0173', ask: '0.0174' };

/** Best prices of the first book in the log of a symbol, and what stderr says. */
async function firstBook(file: string, symbol: string): Promise<{ best: unknown; stderr: string; exitCode: number }> {
  const { exitCode, lines, stderr } = await place.run('rows', file, '--symbol', symbol);
  const book = lines
    .map((line) => JSON.parse(line) as { kind: string; bids?: string[][]; asks?: string[][] })
    .find(({ kind }) => kind === 'book');
  return { best: book && [book.bids?.[0]?.[0], book.asks?.[0]?.[0]], stderr, exitCode };
}

describe('a depth snapshot that names no symbol, in a recording of several', () => {
  test('is the book of the symbol whose bookTicker shows it, though changes of both bridge it', async () => {
    const of = [AKRO, SUSHI];
    const file = place.write(
      'tickers.txt',
      merged(
        ...of.map((each) => market(each, 100)),
        of.map((each) => ticker(each, 90, 1_005)),
        [bareSnapshot(SUSHI, 200, 1_010), bareSnapshot(AKRO, 300, 1_011)],
      ),
    );
    expect(await firstBook(file, 'AKROUSD-PERP')).toMatchObject({ best: ['0.0173', '0.0174'], exitCode: 0 });
    expect(await firstBook(file, 'SUSHIUSD-PERP')).toMatchObject({ best: ['7.611', '7.612'], exitCode: 0 });
  });

  test('of another symbol is never used: there is no book, and stderr says so', async () => {
    const file = place.write('foreign.txt', merged(market(AKRO, 100), market(SUSHI, 100), [bareSnapshot(SUSHI, 200, 1_010)]));
    const { best, stderr } = await firstBook(file, 'AKROUSD-PERP');
    expect(best).toBeUndefined();
    expect(stderr).toContain('AKROUSD-PERP: no snapshot received');
    expect((await place.run('label', file, '--symbol', 'AKROUSD-PERP')).stdout).not.toContain('7.61');
  });

  test('that may be of two symbols is refused in words, with its line and what to record', async () => {
    const file = place.write('alike.txt', merged(market(AKRO, 100), market(DENT, 100), [bareSnapshot(DENT, 200, 1_010)]));
    const { best, stderr } = await firstBook(file, 'AKROUSD-PERP');
    expect(best).toBeUndefined();
    expect(stderr).toContain(
      'AKROUSD-PERP: a depth snapshot without a symbol could not be attributed to AKROUSDT by update ids and prices around it, and was ' +
        'not used (at alike.txt:5): record snapshots as {"stream":"akrousdt@depthSnapshot","data":<the response>}\n',
    );
  });

  test("of two symbols of one price is the one's whose changes it shows level by level", async () => {
    const levels = [
      ['0.0172', '1'],
      ['0.0171', '2'],
      ['0.017', '3'],
    ] as const;
    const before = diff(AKRO, 80, [991, 1_000, 990], [['0.0173', '5'], ...levels]);
    const whole = bareSnapshot(AKRO, 200, 1_000).replace(
      '"bids":[["0.0173","5"]',
      `"bids":${JSON.stringify([['0.0173', '5'], ...levels]).slice(0, -1)}`,
    );
    const file = place.write('levels.txt', merged([before], market(AKRO, 100), market(DENT, 100), [whole]));
    expect(await firstBook(file, 'AKROUSD-PERP')).toMatchObject({ best: ['0.0173', '0.0174'] });
    expect((await firstBook(file, 'DENTUSD-PERP')).best).toBeUndefined();
  });
});

describe('a depth snapshot that names no symbol, in a recording of one', () => {
  test('is the book of that one', async () => {
    const file = place.write('one.txt', merged(market(AKRO, 100), [bareSnapshot(AKRO, 200, 1_010)]));
    expect(await firstBook(file, 'AKROUSD-PERP')).toMatchObject({ best: ['0.0173', '0.0174'], stderr: '' });
  });

  test('is refused in words where its prices are far from those around it', async () => {
    const file = place.write('left.txt', merged(market(AKRO, 100), [bareSnapshot(SUSHI, 200, 1_010)]));
    const { best, stderr } = await firstBook(file, 'AKROUSD-PERP');
    expect(best).toBeUndefined();
    expect(stderr).toContain(
      'AKROUSD-PERP: a depth snapshot without a symbol has prices far from those of AKROUSDT around it and was not used (at left.txt:3)\n',
    );
  });
});
