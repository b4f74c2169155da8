import { readdirSync, readFileSync } from 'node:fs';
import { openRecording, readInstrumentDescription } from '../src/index';
import { isObject } from '../src/json';
import { recordingFormats } from '../src/recordings/open-recording';
import { digestOf, fixturePath, play, textFile } from './open-files';

/** JSON in another style: reversed keys, extra spaces, also in nested JSON strings. */
function rewritten(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(rewritten).join(' , ')} ]`;
  if (isObject(value))
    return `{ ${Object.entries(value)
      .reverse()
      .map(([key, member]) => `${JSON.stringify(key)} : ${rewritten(member)}`)
      .join(' , ')} }`;
  return JSON.stringify(typeof value === 'string' && value.startsWith('{"') ? rewritten(JSON.parse(value)) : value);
}

function rewrittenLine(line: string): string {
  const [, time, message = ''] = /^(\d{16,20} )?(\{.*\})$/.exec(line) ?? [];
  try {
    return `  ${time === undefined ? '' : `${time}\t `}${rewritten(JSON.parse(message))} `;
  } catch {
    return line;
  }
}

function rewrittenTable(text: string): string {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((row) => row.split(','));
  const columns = rows[0] ?? [];
  return rows
    .map((row) =>
      columns
        .map((_, index) => row[index] ?? '')
        .reverse()
        .join(' , '),
    )
    .join('\n');
}

const recordings: (readonly [id: string, names: readonly string[]])[] = recordingFormats.flatMap(({ id }) => {
  const names = readdirSync(fixturePath(id));
  return names.some((name) => name.endsWith('.csv')) ? [[id, names]] : names.map((name) => [id, [name]]);
});

it.each(recordings)('%s: %j is read the same with other spacing and field order', async (id, names) => {
  const opened = (rewrite: (name: string, text: string) => string) =>
    openRecording(
      names.map((name) => textFile(name, rewrite(name, readFileSync(fixturePath(id, name), 'utf8')))),
      id === 'csv'
        ? { instrument: readInstrumentDescription('symbol=BTCUSD-PERP,venue=northbay') }
        : { symbol: names.includes('sim.txt') ? 'SIMUSD-PERP' : 'BTCUSD-PERP' },
    ).then(play);
  const plain = await opened((_name, text) => text);
  const odd = await opened((name, text) => (name.endsWith('.csv') ? rewrittenTable(text) : text.split('\n').map(rewrittenLine).join('\n')));
  expect(odd.recording.format).toBe(id);
  expect(odd.recording.instrument).toEqual(plain.recording.instrument);
  expect(odd.rejections).toEqual(plain.rejections);
  expect(digestOf(odd.events)).toBe(digestOf(plain.events));
});
