import { generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  checkpointLine,
  checkpointOf,
  createState,
  loadPolicy,
  packetRowLine,
  readPacketRow,
  reduce,
  signingKeyLine,
  signingKeyOfPem,
  type PacketRow,
} from '@market-state/labeler';
import { eventOfRow, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import { BTC_DAY, createWorkplace, FEW_ROWS, firstRows, without, type Outcome } from './run';

const place = createWorkplace();
/** The first rows of a recording, and their packets. */
let rows: readonly string[] = [];
let packets: readonly string[] = [];

beforeAll(async () => {
  rows = await firstRows(FEW_ROWS);
  place.write('rows.ndjson', rows.join('\n'));
  packets = (await place.run('label', 'rows.ndjson')).lines;
  place.write('packets.ndjson', packets.join('\n'));
});
afterAll(() => place.remove());

function eventAt(index: number): MarketEvent {
  return eventOfRow(JSON.parse(rows[index] ?? ''));
}

function packetAt(index: number): PacketRow {
  return readPacketRow(JSON.parse(packets[index] ?? ''));
}

function closingOrdinal(index: number): number {
  return packetAt(index).closing_ordinal ?? Number.NaN;
}

/** Place of the first trade in the window of the fifth packet. */
function tradeIndex(): number {
  const { window_end_ms: windowEndMs } = packetAt(4);
  return rows.findIndex((_row, index) => {
    const event = eventAt(index);
    return event.kind === 'trade' && event.exchangeTsMs > windowEndMs - WINDOW_MS && event.exchangeTsMs <= windowEndMs;
  });
}

function isoOf(windowEndMs: number): string {
  return new Date(windowEndMs).toISOString().replace('.000Z', 'Z');
}

function expectDifferent({ exitCode, stdout }: Outcome, packet: PacketRow): void {
  expect(exitCode).toBe(1);
  expect(stdout).toContain('DIFFERENT');
  expect(stdout).toContain(`First difference: the window ending at ${isoOf(packet.window_end_ms)}, ${packet.packet_id}`);
}

test('packets and the rows they were made from are equal, in any order of files, in one file or packed', async () => {
  const both = place.write('both.ndjson', [...packets, ...rows].join('\n'));
  for (const files of [['rows.ndjson', 'packets.ndjson'], ['packets.ndjson', 'rows.ndjson'], [both]]) {
    const { exitCode, lines } = await place.run('verify', ...files);
    expect(exitCode).toBe(0);
    expect(lines[0]).toBe('BTCUSD-PERP  EQUAL: every recomputed packet matches, digest for digest');
    expect(lines.join('\n')).toContain(`${packets.length} compared: ${packets.length} equal, 0 different`);
    expect(lines.join('\n')).toMatch(/ read, 1 to [\d,]+; none missing/);
  }
});

test('row files may be given in another order than the log', async () => {
  const [one, two] = [place.write('one.ndjson', rows.slice(0, 500).join('\n')), place.write('two.ndjson', rows.slice(500).join('\n'))];
  expect((await place.run('verify', two, 'packets.ndjson', one)).exitCode).toBe(0);
});

test('one stored row changed by one unit in the last digit: the packet of its window is named, with both digests', async () => {
  const index = tradeIndex();
  const changed = (rows[index] ?? '').replace(
    /"price":"(\d+\.\d*?)(\d)"/,
    (_all, head: string, last: string) => `"price":"${head}${last === '9' ? 8 : Number(last) + 1}"`,
  );
  expect(changed).not.toBe(rows[index]);
  const outcome = await place.run('verify', place.write('changed.ndjson', rows.with(index, changed).join('\n')), 'packets.ndjson');
  expectDifferent(outcome, packetAt(4));
  expect(outcome.stdout).toContain(`stored     ${packetAt(4).packet_digest}`);
  expect(outcome.stdout).toContain('/input_digest');
  expect(outcome.stdout).toContain(`${packets.length} compared`);
});

test('a row that is gone is named, and the packet of its window', async () => {
  const index = tradeIndex();
  const outcome = await place.run('verify', place.write('gone.ndjson', rows.toSpliced(index, 1).join('\n')), 'packets.ndjson');
  expectDifferent(outcome, packetAt(4));
  expect(outcome.stdout).toContain(`${(index + 1).toLocaleString('en-US')} MISSING`);
});

test('a packet line that was altered is named, with the place and both values', async () => {
  const line = (packets[4] ?? '').replace('"model_assisted":false', '"model_assisted":true');
  expect(line).not.toBe(packets[4]);
  const outcome = await place.run('verify', 'rows.ndjson', place.write('altered.ndjson', packets.with(4, line).join('\n')));
  expectDifferent(outcome, packetAt(4));
  expect(outcome.stdout).toContain('/model_assisted\n        stored true, recomputed false');
  expect(outcome.stdout).toContain(`${packets.length} compared: ${packets.length - 1} equal, 1 different`);
});

test('a packet line that is gone is missing, one that is there twice with another content is found', async () => {
  const gone = await place.run('verify', 'rows.ndjson', place.write('fewer.ndjson', packets.toSpliced(4, 1).join('\n')));
  expectDifferent(gone, packetAt(4));
  expect(gone.stdout).toContain('computed from the log, but not stored');
  const second = packetRowLine({ ...packetAt(4), headline: 'Another one.' });
  expectDifferent(await place.run('verify', 'rows.ndjson', place.write('twice.ndjson', [...packets, second].join('\n'))), packetAt(4));
});

test('a packet line without a closing ordinal still compares equal', async () => {
  const unplaced = packets.map((_line, index) => packetRowLine({ ...packetAt(index), closing_ordinal: null }));
  expect((await place.run('verify', 'rows.ndjson', place.write('unplaced.ndjson', unplaced.join('\n')))).exitCode).toBe(0);
});

test('ndjson has the same findings for a program', async () => {
  const line = (packets[4] ?? '').replace('"model_assisted":false', '"model_assisted":true');
  const { exitCode, lines } = await place.run(
    'verify',
    'rows.ndjson',
    place.write('altered.ndjson', packets.with(4, line).join('\n')),
    '--output',
    'ndjson',
  );
  expect({ exitCode, total: lines.length }).toEqual({ exitCode: 1, total: 1 });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    schema: 'market_state_verification.v1',
    symbol: 'BTCUSD-PERP',
    verdict: 'different',
    result: {
      packets: {
        compared: packets.length,
        different: 1,
        first: {
          kind: 'different',
          window_end_ms: packetAt(4).window_end_ms,
          body: { first: [{ path: '/model_assisted', retained: true, rederived: false }] },
        },
      },
    },
  });
});

test('rows that end before the newest packets: the others are verified, and the span is said to be open', async () => {
  const ordinal = closingOrdinal(4);
  const { exitCode, stdout } = await place.run('verify', place.write('short.ndjson', rows.slice(0, ordinal).join('\n')), 'packets.ndjson');
  expect(exitCode).toBe(3);
  expect(stdout).toContain('INCOMPLETE');
  expect(stdout).toContain('5 compared: 5 equal, 0 different');
  expect(stdout).toContain(`${packets.length - 5} newest packets not compared: the rows end before the entry that closes them`);
});

test('rows after a checkpoint verify from it; without one they are refused', async () => {
  const state = createState('BTCUSD-PERP', loadPolicy());
  const at = packetAt(2).window_end_ms;
  const ordinal = closingOrdinal(2);
  for (let index = 0; index < ordinal; index++) reduce(state, eventAt(index));
  place.write('checkpoint.ndjson', checkpointLine(checkpointOf(state, at)));
  place.write('later-rows.ndjson', rows.slice(ordinal).join('\n'));
  place.write('later-packets.ndjson', packets.slice(3).join('\n'));

  const verified = await place.run('verify', 'later-rows.ndjson', 'later-packets.ndjson', 'checkpoint.ndjson');
  expect(verified.exitCode).toBe(0);
  expect(verified.stdout).toContain(`checkpoint at ${isoOf(at)}`);
  expect(verified.stdout).toContain(`${packets.length - 3} compared: ${packets.length - 3} equal`);

  const refused = await place.run('verify', 'later-rows.ndjson', 'later-packets.ndjson');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('no checkpoint before the packets connects to them');

  const checkpoint = checkpointOf(state, at);
  for (const [changed, sentence] of [
    [{ state_digest: 'f'.repeat(64) }, 'its state has digest'],
    [{ state: 'AAAA' }, 'its state is not gzip'],
    [{ state: gzipSync(Buffer.alloc(70_000_000), { level: 1 }).toString('base64') }, 'its state unpacks to more than a state can be'],
  ] as const) {
    place.write('broken-checkpoint.ndjson', checkpointLine({ ...checkpoint, ...changed }));
    const broken = await place.run('verify', 'later-rows.ndjson', 'later-packets.ndjson', 'broken-checkpoint.ndjson');
    expect(broken.exitCode).toBe(1);
    expect(broken.stdout).toContain(sentence);
  }

  const onTheWay = await place.run('verify', 'rows.ndjson', 'packets.ndjson', 'checkpoint.ndjson');
  expect(onTheWay).toMatchObject({ exitCode: 0 });
  expect(onTheWay.stdout).toContain('1 reproduced');
});

test('a chain that took over from another policy is verified from its first checkpoint on, and the rest is said to be open', async () => {
  const state = createState('BTCUSD-PERP', loadPolicy());
  const [ordinal, at] = [closingOrdinal(2), packetAt(2).window_end_ms];
  for (let index = 0; index < ordinal; index++) reduce(state, eventAt(index));
  const checkpoint = checkpointOf(state, at);
  const older = { ...checkpoint, ordinal: closingOrdinal(1), window_end_ms: packetAt(1).window_end_ms, policy_digest: 'e'.repeat(64) };
  place.write('chains.ndjson', [older, checkpoint].map(checkpointLine).join('\n'));
  const { exitCode, stdout } = await place.run('verify', 'rows.ndjson', 'packets.ndjson', 'chains.ndjson');
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`checkpoint at ${isoOf(at)}`);
  expect(stdout).toContain('packets up to there belong to the chain of another policy: not compared');
  expect(stdout).toContain(`${packets.length - 3} compared: ${packets.length - 3} equal`);
});

test('--from and --to choose the packets to compare', async () => {
  const [from, to] = [isoOf(packetAt(2).window_end_ms), String(packetAt(4).window_end_ms)];
  expect((await place.run('verify', 'rows.ndjson', 'packets.ndjson', '--from', from, '--to', to)).stdout).toContain('2 compared: 2 equal');
});

test('signatures are checked with a key of a file, or of a line among the packets', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const key = signingKeyOfPem(pem);
  const signed = packets.map((line) => {
    const row = readPacketRow(JSON.parse(line));
    const signature = sign(null, Buffer.from(row.packet_digest, 'hex'), privateKey).toString('base64');
    return packetRowLine({ ...row, signature, signing_key_id: key.keyId });
  });
  place.write('signed.ndjson', signed.join('\n'));
  place.write('key.pem', pem);
  place.write('key.ndjson', signingKeyLine(key));
  expect((await place.run('verify', 'rows.ndjson', 'signed.ndjson')).stdout).toContain('not checked: no key given');
  for (const given of [['--key', 'key.pem'], ['key.ndjson']]) {
    const { exitCode, stdout } = await place.run('verify', 'rows.ndjson', 'signed.ndjson', ...given);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${packets.length} valid`);
  }
  place.write('other.pem', generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString());
  const other = await place.run('verify', 'rows.ndjson', 'signed.ndjson', '--key', 'other.pem');
  expect(other.exitCode).toBe(1);
  expect(other.stdout).toContain('UNKNOWN KEY');
  const stripped = place.write('stripped.ndjson', signed.with(1, packets[1] ?? '').join('\n'));
  const unsigned = await place.run('verify', 'rows.ndjson', stripped, '--key', 'key.pem');
  expect(unsigned.exitCode).toBe(1);
  expect(unsigned.stdout).toContain('1 packet unsigned');
});

test('packets of another policy are not compared, and that is said', async () => {
  const line = packetRowLine({ ...packetAt(0), policy_digest: 'e'.repeat(64) });
  const { exitCode, stdout } = await place.run(
    'verify',
    'rows.ndjson',
    place.write('other-policy.ndjson', packets.with(0, line).join('\n')),
  );
  expect(exitCode).toBe(3);
  expect(stdout).toContain('1 made under another policy');
});

describe('input that cannot be verified is refused', () => {
  test.each([
    ['no packets', ['rows.ndjson'], 'have no packets'],
    ['no rows', ['packets.ndjson'], 'none of its rows'],
    ['no packet of the symbol', ['rows.ndjson', 'packets.ndjson', '--symbol', 'ETHUSD-PERP'], 'only of BTCUSD-PERP'],
    ['a venue recording', [BTC_DAY], 'market-state rows'],
    [
      'a span after the newest packet',
      ['rows.ndjson', 'packets.ndjson', '--from', '2030-01-01'],
      'the span starts after the newest packet',
    ],
  ])('%s', async (_what, args, sentence) => {
    const { exitCode, stderr } = await place.run('verify', ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });

  test('a line of another schema, or with faults, by its number', async () => {
    const other = await place.run('verify', place.write('other.ndjson', [...packets, '{"schema":"weather.v1"}'].join('\n')));
    expect(other).toMatchObject({ exitCode: 2 });
    expect(other.stderr).toContain(`other.ndjson:${packets.length + 1}: the line names schema "weather.v1"`);
    const faulty = await place.run(
      'verify',
      place.write('faulty.ndjson', packets.with(1, JSON.stringify({ ...without(packetAt(1), 'headline'), symbol: 'x' })).join('\n')),
    );
    expect(faulty.stderr).toContain('faulty.ndjson:2: headline is missing');
    expect(faulty.stderr).toContain('faulty.ndjson:2: symbol must be of the form <BASE>USD-PERP');
    const row = await place.run(
      'verify',
      place.write('bad-row.ndjson', rows.with(8, (rows[8] ?? '').replace('"epoch"', '"epoc"')).join('\n')),
      'packets.ndjson',
    );
    expect(row).toMatchObject({ exitCode: 2 });
    expect(row.stderr).toContain('bad-row.ndjson:9: epoch is missing');
  });
});
