import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@market-state/logging';
import { parseInstrumentRows } from '@market-state/market-data';
import { STAND_IN_PROTOCOLS, type StandIn, startStandIn } from '@market-state/simulated-venue';
import { createWorkplace, type Workplace } from './run';
import { recorded } from './simulated-recording';

const SYMBOL = 'SIMUSD-PERP';
const venues = new Map<string, StandIn>();
let place: Workplace;
beforeAll(async () => {
  for (const [index, protocol] of STAND_IN_PROTOCOLS.entries())
    venues.set(
      protocol,
      await startStandIn({ protocol, address: '127.0.0.1:0', seed: 3 + index, logger: silentLogger(), scenario: 'calm' }),
    );
  const urlOf = (name: string): string => venues.get(name)?.restUrl ?? '';
  place = createWorkplace({
    venueVariables: {
      BYBIT_REST_URL: urlOf('bybit'),
      BYBIT_INVERSE_REST_URL: urlOf('bybit-inverse'),
      OKX_REST_URL: urlOf('okx'),
      KRAKEN_REST_URL: urlOf('kraken'),
    },
  });
});
afterAll(async () => {
  for (const venue of venues.values()) await venue.close();
  place.remove();
});

test('instruments: facts of each venue’s metadata; the inverse contract loses to the linear one, and what is not traded is left out', async () => {
  const { exitCode, stderr } = await place.run('instruments', '--feed', 'bybit,okx,kraken', '--out', 'table.json');
  expect(exitCode).toBe(0);
  const rows = parseInstrumentRows(readFileSync(join(place.folder, 'table.json'), 'utf8'));
  const own = rows.filter(({ feed, symbol }) => feed !== 'simulated' && symbol === SYMBOL);
  const found = Object.fromEntries(
    own.map(({ venue, venueInstrument, contractSize, facts }) => [venue, { venueInstrument, contractSize, facts }]),
  );
  const facts = (lotSize: string, fundingIntervalHours: number): unknown =>
    expect.objectContaining({ multiplier: '1', tickSize: '0.1', lotSize, fundingIntervalHours, listedMs: 1_700_000_000_000 });
  expect(found).toMatchObject({
    bybit: { venueInstrument: 'SIMUSDT', facts: facts('0.01', 8) },
    okx: { venueInstrument: 'SIM-USDT-SWAP', contractSize: '0.1', facts: facts('0.1', 8) },
    kraken: { venueInstrument: 'PF_SIMUSD', facts: facts('0.01', 1) },
  });
  expect(own).toHaveLength(3);
  expect(stderr).toContain('bybit-inverse: left out: SIMUSD has the same symbol as SIMUSDT of bybit');
  for (const name of ['GONEUSDT', 'GONE-USDT-SWAP', 'PF_GONEUSD']) expect(stderr).toMatch(new RegExp(`left out: ${name} is not traded: `));
});

test.each(['bybit', 'okx', 'kraken'])(
  '%s: doctor finds no differences, and reports a venue that delists; a recording can be read',
  async (venue) => {
    expect((await place.run('instruments', '--feed', venue, '--out', `${venue}.json`)).exitCode).toBe(0);
    const standIn = venues.get(venue);
    if (standIn === undefined) throw new Error(`no ${venue}`);
    const at = ['--venue', venue, '--url', standIn.restUrl, '--instruments', `${venue}.json`];
    const sound = await place.run('doctor', ...at, '--seconds', '5');
    expect(sound.stdout).toContain(`${venue}: no differences from what the adapter expects`);
    const saved = await place.run('record', ...at, '--out', venue, '--seconds', '2');
    expect(saved.exitCode).toBe(0);
    const file = recorded(place, venue);
    const described = venue === 'okx' ? ',contract_size=0.1' : '';
    const { lines, exitCode } = await place.run(
      'rows',
      file,
      '--instrument',
      `symbol=${SYMBOL},venue=${venue},venue_instrument=${standIn.instrument}${described}`,
    );
    expect(exitCode).toBe(0);
    for (const kind of ['book', 'trade']) expect(lines.some((line) => line.includes(`"kind":"${kind}"`))).toBe(true);
    standIn.misbehave({ fault: 'delisted', duration_ms: 60_000 });
    const missing = await place.run('doctor', ...at, '--seconds', '1');
    expect(missing.exitCode).not.toBe(0);
    expect(missing.stderr + missing.stdout).toContain(`the venue lists no perpetual ${standIn.instrument}`);
  },
);
