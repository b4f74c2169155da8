import { readdirSync } from 'node:fs';
import { canonicalBytes, openRecording, readInstrumentDescription, rowLine } from '../src/index';
import { recordingFormats } from '../src/recordings/open-recording';
import { inShort } from './messages';
import { filesOf, fixturePath, play, playFiles, textFile } from './open-files';

/** CSV files name no instrument. */
const DESCRIBED = new Map([['csv', readInstrumentDescription('symbol=BTCUSD-PERP,venue=northbay')]]);

it.each(recordingFormats.map(({ id }) => id))('%s: the log written as rows is read back the same', async (format) => {
  const paths = readdirSync(fixturePath(format)).map((name) => fixturePath(format, name));
  const { events } = await play(await openRecording(filesOf(paths), { symbol: 'BTCUSD-PERP', instrument: DESCRIBED.get(format) }));
  const rows = textFile('rows.ndjson', events.map(rowLine).join('\n'), 4_096);
  const back = await play(await openRecording([rows]));
  expect(back.recording.format).toBe('market-state-rows');
  expect(back.events).toEqual(events);
  expect(back.events.map(canonicalBytes)).toEqual(events.map(canonicalBytes));
});

it('market-state-rows: the entries as they are; rows of other symbols and lines of other schemas are passed over', async () => {
  const path = fixturePath('market-state-rows', 'rows.ndjson');
  const { recording, events } = await playFiles([path], 'BTCUSD-PERP');
  expect(recording).toMatchObject({ venue: 'simulated', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'] });
  expect(events.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 16 }, (_, index) => 41 + index));
  expect(inShort(events)).toEqual([
    'connected',
    'tick 0',
    'book 10 #7 100.5/101',
    'trade 15 #1',
    'trade 16 #2',
    'context 30 #9',
    'context 50 #',
    'liquidation 60 #',
    'liquidation 61 #',
    'gap',
    'resynced',
    'gap',
    'disconnected',
    'seam',
    'book 170 #8 100.25/101.25',
    'tick 250',
  ]);
  expect((await playFiles([path], 'ETHUSD-PERP')).events.map(({ ordinal }) => ordinal)).toEqual([1]);
});
