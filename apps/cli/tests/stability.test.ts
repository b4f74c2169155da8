import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkplace } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

const rowsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

beforeAll(async () => {
  for (const [symbol, seed] of [
    ['AUSD-PERP', '7'],
    ['BUSD-PERP', '8'],
  ] as const) {
    const rows = await place.run('scenario', 'calm', '--hours', '0.07', '--symbol', symbol, '--seed', seed, '--out', `${symbol}.ndjson`);
    expect(rows.exitCode).toBe(0);
    expect((await place.run('label', `${symbol}.ndjson`, '--out', `${symbol}.packets.ndjson`)).exitCode).toBe(0);
  }
});

test('a log is one row, and the row of its packets is the same but for the rank correlations, which need the log', async () => {
  const { lines, exitCode } = await place.run('stability', 'AUSD-PERP.ndjson', '--json');
  expect(exitCode).toBe(0);
  const [row, ...others] = rowsOf(lines);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ schema: 'market_state_stability.v1', input: 'AUSD-PERP.ndjson', symbol: 'AUSD-PERP' });
  const [live, correlated] = [Number(row?.['live_packets']), Number(row?.['correlated_packets'])];
  expect(row?.['live_seconds']).toBe(10 * live);
  expect(live).toBeGreaterThan(15);
  expect(correlated).toBeGreaterThan(10);
  expect(correlated).toBeLessThanOrEqual(live - 5);
  expect(Math.abs(Number(row?.['severity_volatility_correlation']))).toBeLessThanOrEqual(1);

  const forecasts = row?.['forecast_correlations'] as Record<string, Record<string, number | null>>;
  expect(Object.keys(forecasts)).toEqual(['har', 'last_five_minutes', 'last_minute']);
  expect(forecasts['last_minute']?.['packets']).toBeLessThanOrEqual(correlated);
  expect(forecasts['har']).toEqual({ correlation: null, packets: 0 });

  const ofPackets = rowsOf((await place.run('stability', 'AUSD-PERP.packets.ndjson', '--json')).lines);
  const none = { correlation: null, packets: 0 };
  expect(ofPackets).toEqual([
    {
      ...row,
      input: 'AUSD-PERP.packets.ndjson',
      severity_volatility_correlation: null,
      correlated_packets: 0,
      forecast_correlations: { last_minute: none, last_five_minutes: none, har: none },
    },
  ]);
});

test('--validity adds a report for each input and symbol, and the same to its line of JSON', async () => {
  expect(
    (await place.run('scenario', 'calm', '--hours', '0.4', '--symbol', 'CUSD-PERP', '--seed', '3', '--out', 'c.ndjson')).exitCode,
  ).toBe(0);
  const { lines } = await place.run('stability', 'c.ndjson', 'AUSD-PERP.ndjson', '--validity');
  const text = lines.join('\n');
  expect(lines.filter((line) => line.startsWith('Validity of '))).toEqual([
    'Validity of c.ndjson CUSD-PERP',
    'Validity of AUSD-PERP.ndjson AUSD-PERP',
  ]);
  expect(text).toMatch(/\nSeverity against the volatility of the next 60 s: \d+ packets in \d half hours?\n +severity +last 60 s/);
  expect(text).toMatch(/\nrank correlation +−?\d\.\d\d/);
  expect(text).toMatch(/\nSeverity against the volatility of the next 60 s: fewer than 30 packets\n/);
  expect(text).toMatch(/\nFirst half hour: \d+ live packets, \d+ % high or critical/);

  const [json, , together] = rowsOf((await place.run('stability', 'c.ndjson', 'AUSD-PERP.ndjson', '--validity', '--json')).lines);
  expect(json?.['validity']).toMatchObject({
    severity: { correlations: { severity: { value: expect.any(Number) as number } }, partial_given_har: null },
    severity_with_har: null,
    first_half_hour: { high_share: expect.any(Number) as number },
  });
  expect(together).not.toHaveProperty('validity');
});

test('several inputs are a row each and one of all together, under titles', async () => {
  const { lines } = await place.run('stability', 'AUSD-PERP.ndjson', 'BUSD-PERP.ndjson');
  expect(lines[0]).toMatch(
    /^input +symbol +largest state +its % +live s +flips\/h +class\/h +session\/h +dwell s +not winner % +high % +rank corr\. +60 s +300 s +HAR$/,
  );
  expect(lines.slice(1).map((line) => line.split(/ {2,}/)[0])).toEqual(['AUSD-PERP.ndjson', 'BUSD-PERP.ndjson', 'total']);
  const live = lines.slice(1).map((line) => Number(/_\w+ +\d+ +(\d+) /.exec(line)?.[1]));
  expect(live[2]).toBe((live[0] ?? 0) + (live[1] ?? 0));
});

test('every symbol of an input has a row, unless one is asked for', async () => {
  const input = 'AUSD-PERP.packets.ndjson,BUSD-PERP.packets.ndjson';
  const symbolsOf = async (...args: readonly string[]) =>
    rowsOf((await place.run('stability', input, '--json', ...args)).lines).map(({ symbol }) => symbol);
  expect(await symbolsOf()).toEqual(['AUSD-PERP', 'BUSD-PERP', null]);
  expect(await symbolsOf('--symbol', 'BUSD-PERP')).toEqual(['BUSD-PERP']);
  expect(await place.run('stability', input, '--symbol', 'CUSD-PERP')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no packets of CUSD-PERP') as string,
  });
});

test('a folder is its files in the order of their names, as one recording', async () => {
  const whole = (await place.run('rows', 'AUSD-PERP.ndjson')).lines;
  mkdirSync(join(place.folder, 'parts'));
  place.write('parts/2.ndjson', whole.slice(500).join('\n'));
  place.write('parts/1.ndjson', whole.slice(0, 500).join('\n'));
  const [ofFolder] = rowsOf((await place.run('stability', 'parts', '--json')).lines);
  const [ofFile] = rowsOf((await place.run('stability', 'AUSD-PERP.ndjson', '--json')).lines);
  expect(ofFolder).toEqual({ ...ofFile, input: '1.ndjson,2.ndjson' });
  mkdirSync(join(place.folder, 'empty'));
  expect(await place.run('stability', 'empty')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no files') as string });
});

test('packets out of order are refused', async () => {
  const twice = 'AUSD-PERP.packets.ndjson,AUSD-PERP.packets.ndjson';
  const { exitCode, stderr } = await place.run('stability', twice);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('AUSD-PERP: Packets must be oldest first');
});
