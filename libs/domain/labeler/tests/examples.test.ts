import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES_FILE, examplePackets } from './example-packets';
import { leavesOf } from './leaves';

const bodies = readFileSync(EXAMPLES_FILE, 'utf8').trimEnd().split('\n');
const rows = readFileSync(join(EXAMPLES_FILE, '../README.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d\d:\d\d:\d\d \|/.test(line));

test('the committed examples are what the labeler says of the recording', () => {
  expect(bodies).toEqual(examplePackets().map(({ body }) => body));
});

test('each line of the README speaks of its packet, and each of its numbers stands in it', () => {
  expect(rows.length).toBe(bodies.length);
  rows.forEach((row, i) => {
    const packet = JSON.parse(bodies[i] ?? '') as { ts: string };
    const [, time = '', ...cells] = row.split('|').map((cell) => cell.trim());
    const numbers = [...cells.join(' ').matchAll(/-?\d+(?:\.\d+)?/g)].map(([text]) => Number(text));
    const known = new Set([...leavesOf(packet)].map(([, leaf]) => leaf));
    expect(packet.ts.slice(11, 19)).toBe(time);
    expect([time, numbers.filter((value) => !known.has(value))]).toEqual([time, []]);
  });
});
