import { readdirSync, readFileSync } from 'node:fs';
import {
  instrumentRows,
  openRecording,
  readInstrumentDescription,
  RecordingError,
  recordingPass,
  rowLine,
  SeveralSymbolsError,
  UnknownFormatError,
  UnknownSymbolError,
  type MarketEvent,
} from '../src/index';
import { recordingFormats } from '../src/recordings/open-recording';
import { DAY_MS } from './messages';
import { digestOf, fixturePath, filesOf, play, playFiles, textFile } from './open-files';
import { passInput, readLines } from './recording';

const beginningOf = (symbol: string) => textFile(`${symbol}.txt`, readLines(symbol).slice(0, 3_000).join('\n'));

function tick(ordinal: number, changes: Partial<MarketEvent> = {}): string {
  const ms = DAY_MS + ordinal * 250;
  const event = {
    kind: 'tick',
    venue: 'simulated',
    symbol: 'BTCUSD-PERP',
    pass: 1,
    venueId: '',
    exchangeTsMs: ms,
    exchangeTsIsReceiveTime: false,
    receivedTsMs: ms,
    ordinal,
    epoch: 1,
    feedClockMs: ms,
    ...changes,
  };
  return rowLine(event as MarketEvent);
}

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => Promise.reject(new Error('nothing was thrown')),
    (error: Error) => error,
  );
}

describe('the format of a file', () => {
  it.each(recordingFormats.map(({ id, example }) => [id, example]))('%s is detected by its first line', async (id, example) => {
    const [file = ''] = readdirSync(fixturePath(id));
    const instrument = id === 'csv' ? readInstrumentDescription('symbol=BTCUSD-PERP,venue=northbay') : undefined;
    const { format } = await openRecording(filesOf([fixturePath(id, file)]), { symbol: 'BTCUSD-PERP', instrument });
    expect(format).toBe(id);
    const shown = await openRecording([textFile('shown_BTC.csv', example)]).catch((error: Error) => error);
    expect(shown).not.toBeInstanceOf(UnknownFormatError);
  });

  it('that is unknown is an error that names those known', async () => {
    const error = await errorOf(openRecording([textFile('bars.csv', '0,17204,17207.6,17203.9,17207.6,4242\n')]));
    expect(error).toBeInstanceOf(UnknownFormatError);
    expect(error.message).toContain('bars.csv');
    for (const { id } of recordingFormats) expect(error.message).toContain(id);
  });

  it.each([
    ['no file', [], 'at least one file'],
    ['an empty file', [textFile('empty', '\n\n')], 'empty is empty'],
    [
      'files of two formats',
      [textFile('a', tick(1)), ...filesOf([fixturePath('hyperliquid-archive', 'btc.jsonl')])],
      'market-state-rows and hyperliquid-archive',
    ],
    ['a collector file whose name has no coin', [textFile('books.csv', 'timestamp,price,size,side,exchange_timestamp')], 'books.csv'],
  ])('%s is an error that says so', async (_what, files, part) => {
    const error = await errorOf(openRecording(files));
    expect(error).toBeInstanceOf(RecordingError);
    expect(error.message).toContain(part);
  });
});

describe('the symbol of a recording', () => {
  it('that is not there is an error naming those that are', async () => {
    const error = await errorOf(openRecording(filesOf([fixturePath('bybit', 'btcusdt-dogeusdt.jsonl')]), { symbol: 'ETHUSD-PERP' }));
    expect(error).toBeInstanceOf(UnknownSymbolError);
    expect(error.message).toContain('BTCUSD-PERP, DOGEUSD-PERP');
  });

  it('must be chosen where there are several', async () => {
    const error = await errorOf(openRecording(filesOf([fixturePath('bybit', 'btcusdt-dogeusdt.jsonl')])));
    expect(error).toBeInstanceOf(SeveralSymbolsError);
    expect((error as SeveralSymbolsError).symbols).toEqual(['BTCUSD-PERP', 'DOGEUSD-PERP']);
  });

  it('picks the files that hold it', async () => {
    const files = [beginningOf('ETHUSD-PERP'), beginningOf('BTCUSD-PERP')];
    const { recording, events } = await play(await openRecording(files, { symbol: 'ETHUSD-PERP' }));
    expect(recording.symbols).toEqual(['ETHUSD-PERP', 'BTCUSD-PERP']);
    expect(new Set(events.map(({ symbol }) => symbol))).toEqual(new Set(['ETHUSD-PERP']));
    expect(recording.tally).toMatchObject({ rejections: { unknown_symbol: 0 } });
  });

  it('is any of those that the table plays from the same instrument', async () => {
    const rows = instrumentRows
      .filter(({ feed, symbol }) => feed === 'recording' && symbol === 'ETHUSD-PERP')
      .flatMap((row) => [
        { ...row, symbol: 'ETH1USD-PERP' },
        { ...row, symbol: 'ETH2USD-PERP', bookStalenessMs: 7_000 },
      ]);
    const files = () => [beginningOf('ETHUSD-PERP')];
    const error = await errorOf(openRecording(files(), { rows }));
    expect((error as SeveralSymbolsError).symbols).toEqual(['ETH1USD-PERP', 'ETH2USD-PERP']);
    const { recording, events } = await play(await openRecording(files(), { symbol: 'ETH2USD-PERP', rows }));
    expect(new Set(events.map(({ symbol }) => symbol))).toEqual(new Set(['ETH2USD-PERP']));
    expect(recording.instrument).toMatchObject({ symbol: 'ETH2USD-PERP', bookStalenessMs: 7_000 });
  });
});

describe('the events of a recording', () => {
  it('of two COIN-M files are those of one pass over their lines, up to the last message', async () => {
    const lines = readLines('ETHUSD-PERP').slice(0, 8_000);
    const parts = [lines.slice(0, 3_000), lines.slice(3_000)];
    const { events, recording } = await play(await openRecording(parts.map((part, at) => textFile(`${at}.txt`, `${part.join('\n')}\n`))));
    const input = passInput('ETHUSD-PERP', lines);
    const pass = [...recordingPass({ ...input, endFeedClockMs: input.span.lastReceivedMs }).events].map(({ event }) => event);
    expect(events).toHaveLength(pass.length);
    expect(digestOf(events)).toBe(digestOf(pass));
    expect(recording.tally.lines).toBe(8_000);
  });

  it.each([1, 7, 1_000])('are the same when the bytes come %i at a time, with either line end', async (chunkBytes) => {
    const text = readFileSync(fixturePath('bybit', 'btcusdt-dogeusdt.jsonl'), 'utf8');
    const { events } = await playFiles([fixturePath('bybit', 'btcusdt-dogeusdt.jsonl')], 'BTCUSD-PERP');
    for (const content of [text, text.replaceAll('\n', '\r\n'), text.trimEnd()]) {
      expect((await play(await openRecording([textFile('x', content, chunkBytes)], { symbol: 'BTCUSD-PERP' }))).events).toEqual(events);
    }
  });

  it('are made as they are read: a source without end is read no further than asked, and let go of', async () => {
    let read = 0;
    let isReleased = false;
    async function* endless(): AsyncGenerator<readonly string[]> {
      try {
        for (;;) yield Array.from({ length: 100 }, () => tick(++read));
      } finally {
        isReleased = true;
      }
    }
    const { events } = await openRecording([{ name: 'endless', lines: endless() }]);
    for (let batch = 0; batch < 3; batch++) await events.next();
    expect(read).toBeLessThan(5_000);
    await events.return(undefined);
    expect(isReleased).toBe(true);
  });
});

describe('files that follow each other', () => {
  const messages = readFileSync(fixturePath('binance-coinm', 'btcusd_perp.txt'), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => /^\d{19} /.test(line));
  const [early, late] = [messages.slice(0, 12), messages.slice(12)];
  const opened = (...files: readonly (readonly [string, readonly string[]])[]) =>
    openRecording(files.map(([name, lines]) => textFile(name, lines.join('\n')))).then(play);

  it('in the order of their times are one recording', async () => {
    expect(digestOf((await opened(['early', early], ['late', late])).events)).toBe(digestOf((await opened(['whole', messages])).events));
  });

  it('in another order are refused before anything is read of them', async () => {
    const { events } = await openRecording([textFile('late', late.join('\n')), textFile('early', early.join('\n'))]);
    const error = await errorOf(events.next());
    expect(error).toBeInstanceOf(RecordingError);
    expect(error.message).toBe('early starts before late ends: pass the files in chronological order');
  });

  it('are refused where one begins before the last line of the one before it, and not for a line whose time is damaged', async () => {
    const overlapping = await errorOf(opened(['early', messages.slice(0, 15)], ['late', late]));
    expect(overlapping.message).toBe('late starts before early ends: pass the files in chronological order');
    const damaged = (early.at(-1) ?? '').replace(/^17/, '18');
    await expect(opened(['early', [...early, damaged]], ['late', late])).resolves.toMatchObject({
      rejections: { future_time: expect.any(Number) as number },
    });
  });

  it('of a collector are ordered within their kind', async () => {
    const [header = '', ...rows] = readFileSync(fixturePath('hyperliquid-collector', 'hand_orderbooks_BTC.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    const files = [
      ['b_orderbooks_BTC.csv', rows.slice(3)],
      ['a_orderbooks_BTC.csv', rows.slice(0, 3)],
    ] as const;
    const error = await errorOf(opened(...files.map(([name, lines]) => [name, [header, ...lines]] as const)));
    expect(error.message).toBe('a_orderbooks_BTC.csv starts before b_orderbooks_BTC.csv ends: pass the files in chronological order');
  });
});

describe('a receive time far ahead of all before it', () => {
  it('moves neither clock nor book: the log is the one without its line', async () => {
    const lines = readFileSync(fixturePath('binance-coinm', 'btcusd_perp.txt'), 'utf8').trimEnd().split('\n');
    const [first = ''] = lines;
    const far = first.replace(/^17/, '18');
    expect(far).not.toBe(first);
    const plain = await play(await openRecording([textFile('plain', lines.join('\n'))]));
    const spoilt = await play(await openRecording([textFile('spoilt', lines.toSpliced(5, 0, far).join('\n'))]));
    expect(digestOf(spoilt.events)).toBe(digestOf(plain.events));
    expect(spoilt.rejections).toEqual({ ...plain.rejections, future_time: (plain.rejections['future_time'] ?? 0) + 1 });
  });
});

describe('what is retained to detect the format', () => {
  it.each([
    ['blank lines', '', 70_000],
    ['huge lines', tick(1).padEnd(1_000_000), 70],
  ])('is bounded for a source of %s', async (_what, line, linesMax) => {
    let read = 0;
    async function* endless(): AsyncGenerator<readonly string[]> {
      for (;;) {
        const lines = Array.from({ length: line === '' ? 1_000 : 1 }, () => line);
        read += lines.length;
        yield lines;
      }
    }
    await openRecording([{ name: 'endless', lines: endless() }]).then(
      ({ events }) => events.return(undefined),
      () => undefined,
    );
    expect(read).toBeLessThanOrEqual(linesMax);
  });
});

describe('our own rows', () => {
  it('of several files go on from one to the next', async () => {
    const files = [textFile('a', [tick(7), tick(8)].join('\n')), textFile('b', [tick(9), tick(10)].join('\n'))];
    const { events } = await play(await openRecording(files));
    expect(events.map(({ ordinal }) => ordinal)).toEqual([7, 8, 9, 10]);
  });

  it('go on past ordinals that were lost with the log, where a new epoch begins', async () => {
    const { events } = await play(
      await openRecording([textFile('epochs', [tick(1), tick(2), tick(7, { epoch: 2 }), tick(8, { epoch: 2 })].join('\n'))]),
    );
    expect(events.map(({ epoch, ordinal }) => [epoch, ordinal])).toEqual([
      [1, 1],
      [1, 2],
      [2, 7],
      [2, 8],
    ]);
  });

  it('are read with lines of packets, checkpoints and keys between them', async () => {
    const other = (schema: string) => JSON.stringify({ schema, symbol: 'ETHUSD-PERP' });
    const lines = [
      other('market_state_signing_key.v1'),
      tick(1),
      other('market_state_packet_row.v1'),
      other('market_state_checkpoint.v1'),
      tick(2),
    ];
    const { events } = await play(await openRecording([textFile('mixed', lines.join('\n'))]));
    expect(events.map(({ ordinal }) => ordinal)).toEqual([1, 2]);
  });

  it.each([
    ['a missing row', [tick(1), tick(2), '', tick(4)], 'rows:4: ordinal 4 follows 2, expected 3'],
    ['a repeated row', [tick(1), tick(1)], 'rows:2: ordinal 1 follows 1, expected 2'],
    ['an epoch that falls', [tick(1, { epoch: 2 }), tick(2, { epoch: 1 })], 'rows:2: epoch 1 follows 2'],
    ['a new epoch at ordinals of the old', [tick(3), tick(2, { epoch: 2 })], 'rows:2: ordinal 2 follows 3'],
    ['broken JSON', [tick(1), tick(2).slice(0, -1)], 'rows:2: invalid JSON'],
    [
      'a row with two faults',
      [tick(1), tick(2, { pass: -1, venue: '' })],
      'rows:2: venue must be a non-empty string; pass must be an integer of at least 0',
    ],
    [
      'a second symbol when none was chosen, far into the file',
      [...Array.from({ length: 5_000 }, (_, index) => tick(index + 1)), tick(1, { symbol: 'ETHUSD-PERP' })],
      'choose one: BTCUSD-PERP, ETHUSD-PERP',
    ],
  ])('%s: an error that names the line or the symbols', async (_what, lines, message) => {
    const error = await errorOf(openRecording([textFile('rows', lines.join('\n'), 4_096)]).then(play));
    expect(error).toBeInstanceOf(RecordingError);
    expect(error.message).toContain(message);
  });

  it('of a symbol that comes late in the file are found', async () => {
    const lines = [...Array.from({ length: 5_000 }, (_, index) => tick(index + 1)), tick(3, { symbol: 'ETHUSD-PERP' })];
    const { recording, events } = await play(await openRecording([textFile('rows', lines.join('\n'), 4_096)], { symbol: 'ETHUSD-PERP' }));
    expect(recording.symbol).toBe('ETHUSD-PERP');
    expect(events.map(({ ordinal }) => ordinal)).toEqual([3]);
  });

  it('of a symbol that is not there: an error naming those that are', async () => {
    const error = await errorOf(openRecording([textFile('rows', tick(1))], { symbol: 'XUSD-PERP' }));
    expect(error).toBeInstanceOf(UnknownSymbolError);
    expect(error.message).toContain('BTCUSD-PERP');
  });
});
