import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseInstrumentRows } from '@market-state/market-data';
import { createWorkplace } from './run';

const RECORDED = join(import.meta.dirname, '../../../libs/domain/market-data/shapes/hyperliquid/http_metaAndAssetCtxs_testnet.json');

/** Serves a recorded `metaAndAssetCtxs` answer of the venue's test network. */
async function recordedMetadata(change: (text: string) => string = (text) => text) {
  const server = createServer((_request, response) => response.end(change(readFileSync(RECORDED, 'utf8'))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = createWorkplace({ venueVariables: { HYPERLIQUID_REST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
  return {
    place,
    close: () => {
      place.remove();
      server.close();
    },
  };
}

test('lists what the venue lists, by volume; the table made of it has the multiplier, lot and volume as facts', async () => {
  const { place, close } = await recordedMetadata();
  const args = ['instruments', '--feed', 'hyperliquid', '--out', 'table.json'];
  const { exitCode, lines, stderr } = await place.run(...args, '--symbols', 'top:5,DYDX,!BTC');
  expect(exitCode).toBe(0);
  expect(lines[0]).toMatch(/^symbol +venue +instrument +coins a unit +contract +tick +lot +funding +listed +day volume, USD$/);
  expect(lines).toHaveLength(7);
  const rows = parseInstrumentRows(readFileSync(join(place.folder, 'table.json'), 'utf8')).filter(({ feed }) => feed === 'hyperliquid');
  expect(rows.map(({ symbol }) => symbol)).not.toContain('BTCUSD-PERP');
  const volumes = rows.map(({ facts }) => Number(facts?.dayVolumeUsd));
  expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
  expect(rows.find(({ symbol }) => symbol === 'PEPEUSD-PERP')).toMatchObject({
    venueInstrument: 'kPEPE',
    facts: { multiplier: '1000', lotSize: '1', fundingIntervalHours: 1 },
  });
  expect(stderr).toContain('6 instruments; table written to table.json');
  close();
});

test('a delisted coin is left out with its reason, an answer that lists nothing is 3, and every fault of the options is named', async () => {
  const { place, close } = await recordedMetadata((text) => text.replace('"name":"APT"', '"name":"APT","isDelisted":true'));
  const { stderr, stdout } = await place.run('instruments', '--feed', 'hyperliquid', '--output', 'json');
  expect(stderr).toContain('hyperliquid: left out: APT is not traded: the venue has delisted it');
  expect(parseInstrumentRows(stdout).map(({ symbol }) => symbol)).not.toContain('APTUSD-PERP');
  expect((await place.run('instruments', '--feed', 'hyperliquid', '--symbols', 'NOSUCH')).stderr).toMatch(
    /unknown symbol: NOSUCH; known: .* and \d+ more/,
  );
  const wrong = await place.run('instruments', '--feed', 'wire', '--instruments', 'none.json', '--output', 'xml');
  expect(wrong.exitCode).toBe(2);
  for (const part of ['--feed must be', 'none.json cannot be read', '--output must be']) expect(wrong.stderr).toContain(part);
  close();
  const other = await recordedMetadata(() => '{}');
  expect(await other.place.run('instruments', '--feed', 'hyperliquid')).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('did not list its coins') as string,
  });
  other.close();
});
