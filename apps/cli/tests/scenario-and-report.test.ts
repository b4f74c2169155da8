import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenarioNames } from '@market-state/scenarios';
import { createWorkplace } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

test('scenario without a name lists every scenario', async () => {
  const { exitCode, stdout } = await place.run('scenario');
  expect(exitCode).toBe(0);
  for (const { name, description } of scenarioNames) expect(stdout).toMatch(new RegExp(`^${name} +${description.slice(0, 20)}`, 'm'));
});

test('a scenario is the same for the same seed, another for another, and its packets verify', async () => {
  const args = ['scenario', 'calm', '--hours', '0.05', '--symbol', 'TESTUSD-PERP'];
  const [first, again, other] = [
    await place.run(...args, '--seed', '7'),
    await place.run(...args, '--seed', '7'),
    await place.run(...args, '--seed', '8'),
  ];
  expect(first.exitCode).toBe(0);
  expect(again.stdout).toBe(first.stdout);
  expect(other.stdout).not.toBe(first.stdout);
  place.write('rows.ndjson', first.stdout);
  expect((await place.run('label', 'rows.ndjson', '--out', 'packets.ndjson')).exitCode).toBe(0);
  const verified = await place.run('verify', 'rows.ndjson', 'packets.ndjson');
  expect(verified).toMatchObject({ exitCode: 0 });
  expect(verified.stdout).toContain('TESTUSD-PERP  EQUAL');
});

test('a report on packets is the report on the rows they were made from, but for its source and the volumes, which packets do not hold', async () => {
  expect(await place.run('report', 'packets.ndjson', '--out', 'of-packets.html')).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await place.run('report', 'rows.ndjson', '--out', 'of-rows.html')).toMatchObject({ exitCode: 0, stdout: '' });
  const [ofPackets, ofRows] = ['of-packets.html', 'of-rows.html'].map((file) => readFileSync(join(place.folder, file), 'utf8'));
  expect(ofPackets).toContain('Synthetic data');
  expect(ofPackets).toContain('Packets of packets.ndjson.');
  expect(ofRows).toMatch(/ · bought [\d.]+k? · sold [\d.]+k? · \d+ trades/);
  expect(ofPackets).toContain('Packets contain no volumes');
  expect(withoutVolumes(ofRows ?? '').replace('Labelled from rows.ndjson.', 'Packets of packets.ndjson.')).toBe(
    withoutVolumes(ofPackets ?? ''),
  );
});

/** The page without the figure of volumes, and without their words in the readout and its script. */
function withoutVolumes(page: string): string {
  const figure = page.slice(
    page.indexOf('<figure>\n<figcaption><h2>Volume and trades'),
    page.indexOf('<figure>\n<figcaption><h2>Event class'),
  );
  return page
    .replace(figure, '')
    .replace(/ · bought [\d.]+k? · sold [\d.]+k?/, '')
    .replace(/<script>.*<\/script>/s, '');
}

test('a report takes the packets out of lines of several schemas, whichever of them comes first', async () => {
  const [rows, packets] = ['rows.ndjson', 'packets.ndjson'].map((file) =>
    readFileSync(join(place.folder, file), 'utf8').trimEnd().split('\n'),
  );
  if (rows === undefined || packets === undefined) throw new Error('rows and packets were made above');
  place.write('mixed.ndjson', [...rows.slice(0, 500), ...packets.flatMap((packet, index) => [packet, rows[500 + index]])].join('\n'));
  place.write('packets-first.ndjson', [...packets, ...rows].join('\n'));
  const ofPackets = readFileSync(join(place.folder, 'of-packets.html'), 'utf8');
  for (const name of ['mixed.ndjson', 'packets-first.ndjson']) {
    expect(await place.run('report', name, '--out', 'of-mixed.html')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(join(place.folder, 'of-mixed.html'), 'utf8').replace(`Packets of ${name}.`, 'Packets of packets.ndjson.')).toBe(
      ofPackets,
    );
  }
  const { stderr } = await place.run(
    'report',
    place.write('other.ndjson', [...packets, '{"schema":"other.v1"}'].join('\n')),
    '--out',
    'x.html',
  );
  expect(stderr).toContain(`other.ndjson:${packets.length + 1}:`);
});

test('packets that cannot stand in one report are refused', async () => {
  const twice = place.write('twice.ndjson', readFileSync(join(place.folder, 'packets.ndjson'), 'utf8').repeat(2));
  const { exitCode, stderr } = await place.run('report', twice, '--out', 'twice.html');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('oldest first');
  const policy = await place.run('report', 'packets.ndjson', '--out', 'x.html', '--policy', '.');
  expect(policy.stderr).toContain('which are already labelled');
});
