import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicy } from '@market-state/labeler';
import { BTC, createWorkplace, ETH, type Workplace } from './run';

const REPORTS = join(import.meta.dirname, '../../../docs/reports');

let place: Workplace;
beforeAll(() => {
  place = createWorkplace();
});
afterAll(() => place.remove());

const committed = (name: string) => readFileSync(join(REPORTS, name), 'utf8');

/** Number of packets, states, share of the most frequent one, changes an hour, event classes: the figures on top of a page. */
const figuresOf = (page: string) => [...page.matchAll(/<div><b>([^<]*)<\/b>/g)].map(([, figure]) => figure ?? '');

test.each([
  ['btcusd-perp.html', BTC],
  ['ethusd-perp.html', ETH],
])('%s is what the command writes, byte for byte', async (name, files) => {
  const title = /<h1>(.*)<\/h1>/.exec(committed(name))?.[1] ?? '';
  expect((await place.run('report', ...files, '--title', title, '--out', name)).exitCode).toBe(0);
  expect(readFileSync(join(place.folder, name), 'utf8') === committed(name)).toBe(true);
});

test('the synthetic page is of the policy that ships, and says what it is', () => {
  const page = committed('scenario-set.html');
  expect(page).toContain(loadPolicy().digest);
  expect(page).toContain('Synthetic data: generated, not from a market');
});

test('the figures in the table of reports are those of the pages', () => {
  const table = committed('README.md').split('\n');
  for (const name of ['btcusd-perp.html', 'ethusd-perp.html', 'scenario-set.html']) {
    const row = table.find((line) => line.includes(`(${name})`)) ?? '';
    const [packets, states, share, flips, classes] = figuresOf(committed(name));
    const cells = row.split('|').map((cell) => cell.trim());
    expect([cells[3], cells[4], cells[5]?.split(', ')[1], cells[6], cells[7]]).toEqual([packets, states, share, classes, flips]);
  }
});
