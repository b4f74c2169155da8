import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { testRpcSettings } from '@market-state/testing';
import { BTC, BTC_DAY, createWorkplace, FEW_ROWS, firstRows, run, without } from './run';

const place = createWorkplace();
/** The first rows of a recording. */
let rows: readonly string[] = [];

beforeAll(async () => {
  rows = await firstRows(FEW_ROWS);
  place.write('rows.ndjson', rows.join('\n'));
});
afterAll(() => place.remove());

async function refused(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await place.run(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  return stderr;
}

describe('a command line', () => {
  test('has everything named that is wrong with it', async () => {
    const stderr = await refused('label', '--colour=red', '--output', 'xml', 'some-file', '--symbol', 'btc', '-z');
    for (const fault of [
      '--colour=red',
      '-z',
      '--output must be one of ndjson, table, json, not "xml"',
      '--symbol must look like BTCUSD-PERP',
    ]) {
      expect(stderr).toContain(fault);
    }
    expect(stderr).toContain('market-state label --help');
  });

  test.each([
    [['label'], 'missing argument: files'],
    [['label', 'f', '--symbol'], 'option --symbol <symbol> requires a value'],
    [['labl'], "unknown command 'labl'"],
    [['report', 'f'], 'option --out <file> is required'],
    [['diff-policy', 'f'], 'option --a <policy> is required'],
    [['diff-policy', 'f'], 'option --b <policy> is required'],
    [['verify', '--from', 'last week', '--to', '2024-13-41'], '--from must be a UTC time'],
    [['verify', '--from', 'last week', '--to', '2024-13-41'], '--to must be a UTC time'],
    [['verify', '--from', '2024-08-09', '--to', '2024-08-08T10:00:00Z'], '--to must be after --from'],
    [['verify', '--labeling', 'localhost:1'], 'must be used together'],
    [['verify', 'f', '--data-dir', 'd'], 'use either files or'],
    [['verify', '--labeling', 'here', '--data-plane', 'there:x'], '--data-plane must be host:port'],
    [['scenario', 'calm', 'sweep'], 'name one scenario only, not also sweep'],
    [['scenario', 'set', '--hours', '1'], '--hours does not apply to the set'],
    [['scenario', 'calm', '--seed', '-1', '--hours', 'two'], '--hours must be a number'],
    [['scenario', 'nothing'], 'Unknown scenario "nothing"'],
  ])('%j is refused: %s', async (args, sentence) => {
    expect(await refused(...args)).toContain(sentence);
  });

  test('that names no command is answered with the prefix of all errors, and with what may be meant', async () => {
    expect(await refused('lable')).toBe("market-state: unknown command 'lable'\nmarket-state: (Did you mean label?)\n");
  });

  test('may ask for the version, which is that of the workspace', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as { version: string };
    expect(await place.run('--version')).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.each(['label', 'rows', 'scenario', 'verify', 'report', 'diff-policy'])('%s has help with an example', async (command) => {
    const { exitCode, stdout, stderr } = await place.run(command, '--help');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`$ market-state ${command}`);
  });
});

describe('an input file', () => {
  test('that is not there is named', async () => {
    expect(await refused('label', 'nowhere.gz')).toContain('nowhere.gz: no such file');
    expect(await refused('verify', 'nowhere.ndjson')).toContain('nowhere.ndjson: no such file');
    expect(await refused('label', '.')).toContain('.: is a folder');
    expect(await refused('label', 'rows.ndjson/inside')).toContain('rows.ndjson/inside: cannot be read (ENOTDIR)');
  });

  test('without line ends is named, whichever command reads it', async () => {
    const file = place.write('zeros.gz', gzipSync(Buffer.alloc(17_000_000)));
    for (const args of [
      ['label', file],
      ['verify', file],
      ['report', file, '--out', 'page.html'],
    ]) {
      expect(await refused(...args)).toContain('zeros.gz: a line exceeds 16777216 characters');
    }
  });

  test('of an unknown format is reported with the list of known formats', async () => {
    const stderr = await refused('label', place.write('notes.txt', 'dear diary\n'));
    for (const word of ['notes.txt', 'dear diary', 'binance-coinm', 'hyperliquid-ws', 'market-state-rows']) expect(stderr).toContain(word);
  });

  const text = '1723161256172216566 {"stream":"btcusd_perp@trade","data":{}}\n';
  test.each([
    ['Parquet', Buffer.from('PAR1\u0015\u0004\u0015', 'latin1'), 'corrupt Parquet: '],
    ['DBN', Buffer.from('DBN\u0003\u0000\u0000', 'latin1'), 'file is Databento DBN: [^\n]*dbn in\\.dbn --csv'],
    ['zstd', Buffer.from('28b52ffd000000', 'hex'), 'corrupt zstd: '],
    ['bzip2', Buffer.from('425a68393141592653590000', 'hex'), 'file is compressed with bzip2; [^\n]*bzip2 -d'],
    ['xz', Buffer.from('fd377a585a000004', 'hex'), 'file is compressed with xz; [^\n]*xz -d'],
    ['zip', Buffer.from('504b030414000000', 'hex'), 'corrupt zip: '],
    ['gzip inside gzip', gzipSync(gzipSync(text)), 'file is gzip inside gzip: unpack it once with gunzip'],
    ['Parquet inside gzip', gzipSync('PAR1....'), 'file is Parquet'],
    ['UTF-16 with its mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'file is UTF-16 text, [^\n]*iconv -f UTF-16$'],
    ['UTF-16, high byte first', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), 'file is UTF-16 text, [^\n]*iconv -f UTF-16$'],
    ['UTF-16 without its mark', Buffer.from(text, 'utf16le'), 'file is UTF-16 text, [^\n]*iconv -f UTF-16LE$'],
    ['tar', Buffer.concat([Buffer.from('BYBIT.jsonl'.padEnd(257, '\0')), Buffer.from('ustar  ')]), 'file is compressed with tar'],
    ['another binary kind', Buffer.from('cafebabe00000034', 'hex'), 'text is not UTF-8'],
  ])('of %s is refused by that, with what to do', async (_kind, bytes, sentence) => {
    const file = place.write('input', bytes);
    expect(await refused('label', file)).toMatch(new RegExp(`^market-state: input:(?:1:)? ${sentence}`, 'm'));
  });

  test('that is empty is named', async () => {
    expect(await refused('label', place.write('empty', ''))).toContain('empty');
  });

  test('whose gzip is cut off or damaged is named', async () => {
    const bytes = readFileSync(BTC_DAY);
    expect(await refused('label', place.write('cut.gz', bytes.subarray(0, 90_000)))).toContain(
      'cut.gz: corrupt gzip: unexpected end of file',
    );
    const damaged = Buffer.from(bytes);
    damaged.fill(0, 50_000, 50_400);
    expect(await refused('label', place.write('damaged.gz', damaged))).toContain('damaged.gz: corrupt gzip');
  });

  test('that does not hold the symbol says which it holds; one that holds two asks which', async () => {
    expect(await refused('label', ...BTC, '--symbol', 'ETHUSD-PERP')).toContain('BTCUSD-PERP');
    const eth = rows.map((row) => row.replace('"BTCUSD-PERP"', '"ETHUSD-PERP"'));
    const both = place.write('both.ndjson', [...rows, ...eth].join('\n'));
    const stderr = await refused('label', both);
    expect(stderr).toContain('BTCUSD-PERP');
    expect(stderr).toContain('ETHUSD-PERP');
    expect((await place.run('label', both, '--symbol', 'ETHUSD-PERP')).exitCode).toBe(0);
  });

  test('with a faulty row is named with its line and every fault of it', async () => {
    const trade = rows.findIndex((line) => line.includes('"kind":"trade"'));
    const rest = without(JSON.parse(rows[trade] ?? '') as object, 'size');
    const file = place.write('faulty.ndjson', rows.with(trade, JSON.stringify({ ...rest, price: '-1', extra: 1 })).join('\n'));
    const stderr = await refused('label', file);
    for (const word of [`faulty.ndjson:${trade + 1}`, 'price', 'size', 'extra']) expect(stderr).toContain(word);
    const half = place.write('half.ndjson', [...rows.slice(0, 9), '{"schema":"market_state_row.v1","kind":'].join('\n'));
    expect(await refused('label', half)).toContain('half.ndjson:10');
  });

  test('with rows in another order than the log is refused', async () => {
    const [one, two] = [place.write('one.ndjson', rows.slice(0, 500).join('\n')), place.write('two.ndjson', rows.slice(500).join('\n'))];
    expect(await refused('label', two, one)).toContain('one.ndjson:1: ordinal 1 follows');
    expect((await place.run('label', one, two)).stdout).toBe((await place.run('label', 'rows.ndjson')).stdout);
  });

  test('of a venue in another order than its times is refused before a packet is written', async () => {
    expect(await refused('label', ...BTC.toReversed())).toMatch(
      /^market-state: \S*btcusd_perp_20240808\.gz starts before \S*btcusd_perp_20240809\.gz ends: pass the files in chronological order\n$/,
    );
  });

  test('whose depth updates no snapshot comes before is read, and stderr says that there is no book', async () => {
    const { exitCode, lines, stderr } = await place.run('label', BTC[1] ?? '');
    expect({ exitCode, packets: lines.length }).toEqual({ exitCode: 0, packets: 30 });
    // Where it takes long, lines between say how far it is.
    expect(stderr.replace(/^BTCUSD-PERP: [\d,]+ entries, .*\n/gm, '')).toMatch(
      /^BTCUSD-PERP: no snapshot received: [\d,]+ depth updates could not be used, so there is no book from the first of them on\n$/,
    );
  });

  test('with a broken venue line is still read, with a warning on stderr', async () => {
    const text = gunzipSync(readFileSync(BTC_DAY)).toString('utf8').split('\n').slice(0, 3_000);
    const file = place.write('odd.gz', gzipSync(text.toSpliced(100, 0, 'no time {"a":1}').join('\n')));
    const { exitCode, stderr } = await place.run('label', file);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('broken_line 1');
  });
});

describe('a policy folder', () => {
  const shipped = join(import.meta.dirname, '../../../libs/domain/labeler/policy');

  test('that is not there is named', async () => {
    expect(await refused('label', 'rows.ndjson', '--policy', 'no-policy')).toContain('no-policy: no such folder');
  });

  test('with other files only is reported once, with the list of expected files', async () => {
    mkdirSync(join(place.folder, 'other'));
    place.write('other/settings.json', '{}');
    expect(await refused('label', 'rows.ndjson', '--policy', 'other')).toBe(
      'market-state: other has no policy files (expected: facts.json, guidance.json, lanes.json, numbers.json, reasons.json, ' +
        'routes.json, tags.json, taxonomy.json, texts.json, versions.json)\n',
    );
  });

  test('has every fault named with file and line', async () => {
    const folder = join(place.folder, 'policy');
    cpSync(shipped, folder, { recursive: true });
    const numbers = join(folder, 'numbers.json');
    const lines = readFileSync(numbers, 'utf8').split('\n');
    const first = lines.findIndex((line) => line.includes('"fragility_weight_thin"'));
    const second = lines.findIndex((line) => line.includes('"flow_shift_pressure_discount"'));
    const spoilt = lines.map((line, index) =>
      index === first ? line.replace('0.4', '"half"') : index === second ? line.replace('0.5', 'null') : line,
    );
    writeFileSync(numbers, spoilt.join('\n'));
    writeFileSync(join(folder, 'routes.json'), '{');
    const stderr = await refused('label', 'rows.ndjson', '--policy', folder);
    for (const place of [`numbers.json:${first + 1}`, `numbers.json:${second + 1}`, 'routes.json:1']) expect(stderr).toContain(place);
  });
});

test('a running system that is not there ends with 3 and says what to do', async () => {
  const { exitCode, stderr } = await place.run('verify');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('endpoints.json');
  expect(stderr).toContain('--labeling host:port');
  const services = ['--labeling', '127.0.0.1:1', '--data-plane', '127.0.0.1:1'];
  const unproved = await place.run('verify', ...services);
  expect(unproved.exitCode).toBe(2);
  expect(unproved.stderr).toContain('name another data folder with --data-dir or DATA_DIR');
  const unreachable = await run(['verify', ...services], place.folder, undefined, { rpc: testRpcSettings('operator') });
  expect(unreachable.exitCode).toBe(3);
  expect(unreachable.stderr).toContain('127.0.0.1:1');
});

test('an output file that cannot be written is named', async () => {
  expect(await refused('label', 'rows.ndjson', '--out', 'no/such/folder/packets.ndjson')).toContain(
    'no/such/folder/packets.ndjson: cannot be written',
  );
});
