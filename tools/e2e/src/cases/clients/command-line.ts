import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import {
  type CommandLine,
  compareTail,
  formatFault,
  FORMATS,
  openCommandLine,
  readCommands,
  sharePacket,
  waitUntil,
} from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

/** A loopback proxy in front of a gateway; to a client it disappears and returns like a killed gateway. */
interface CutProxy {
  readonly url: string;
  /** Breaks every connection, refuses new ones, then serves again at the same address. */
  restart(): Promise<void>;
  /** Breaks the next connection after this many bytes, once. */
  cutAfterBytes(bytes: number): void;
  cuts(): number;
  close(): Promise<void>;
}

async function openCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  let cuts = 0;
  let bytesLeft = Number.POSITIVE_INFINITY;
  let port = 0;
  let server: Server;

  function pass(client: Socket): void {
    const service = connect(Number(targetPort), hostname);
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    client.pipe(service);
    let brought = 0;
    service.on('data', (piece: Buffer) => {
      brought += piece.length;
      if (brought < bytesLeft) return void client.write(piece);
      bytesLeft = Number.POSITIVE_INFINITY;
      cuts += 1;
      client.write(piece.subarray(0, piece.length >> 1), () => client.resetAndDestroy());
    });
  }

  async function listen(): Promise<void> {
    server = createServer(pass).listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  }

  async function stop(): Promise<void> {
    cuts += sockets.size / 2;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  }

  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    async restart() {
      await stop();
      await listen();
    },
    cutAfterBytes(bytes) {
      bytesLeft = bytes;
    },
    cuts: () => cuts,
    close: stop,
  };
}

const SYMBOL = 'SIMUSD-PERP';
/** Each command in one format, round-robin; `npm run verify -- cli` covers every format. */
const COMMANDS = readCommands(SYMBOL);

export function describeCommandLine(started: () => DefaultSystem): void {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-cli-'));
  let cli: CommandLine;
  let proxy: CutProxy;

  beforeAll(async () => {
    const { system, key } = started();
    cli = openCommandLine(folder, { MARKET_STATE_URL: system.url, MARKET_STATE_API_KEY: key });
    proxy = await openCutProxy(system.url);
  });
  afterAll(async () => {
    await proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ...COMMANDS.map((line, at) => [line, FORMATS[at % FORMATS.length] ?? 'table'] as const),
    ...FORMATS.map((format) => [`get latest ${SYMBOL}`, format] as const),
  ])('%s as %s', async (line, format) => {
    const { exitCode, stdout, stderr } = await cli.run([...line.split(' '), '--output', format]);
    expect([exitCode === 0 || exitCode === 6, stderr]).toEqual([true, expect.not.stringContaining('market-state: ')]);
    expect(formatFault(format, stdout)).toBeNull();
  });

  it("the last line is the cost, with the call's receipt", async () => {
    const { stderr } = await cli.run(['get', 'book', SYMBOL, '--max-credits', '10']);
    const [, receipt = ''] =
      /^cost 1 of 10 allowed, [\d,]+ left, receipt (rcp_[0-9a-z]+)$/.exec(stderr.trimEnd().split('\n').at(-1) ?? '') ?? [];
    const { stdout } = await cli.run(['usage', 'receipts', '--limit', '20', '--output', 'ndjson']);
    expect(stdout).toContain(receipt);
    expect(receipt).not.toBe('');
  });

  it.each([
    [2, ['history', SYMBOL, '--state', 'no_such_state']],
    [2, ['get', 'evidence', `evt_${'0'.repeat(26)}`]],
    [2, ['get', 'latest', 'NOSUCHUSD-PERP']],
    [5, ['get', 'latest', 'ALL', '--max-credits', '1']],
    [5, ['get', 'candles', SYMBOL, '--max-credits', '2']],
    [5, ['tail', SYMBOL, '--max-credits', '0']],
    [3, ['get', 'latest', '--url', 'http://127.0.0.1:2']],
  ])('exits with %d: %j', async (exitCode, args) => {
    expect([args, (await cli.run(args)).exitCode]).toEqual([args, exitCode]);
  });

  it('exits with 4 if the key is unknown or lacks permission', async () => {
    const { exitCode, stdout } = await cli.run(['account', 'keys', 'create', '--name', 'reader', '--scopes', 'read']);
    expect(exitCode).toBe(0);
    const codes = ['msk_live_unknown', stdout.trim()].map(
      async (key) => (await cli.with({ MARKET_STATE_API_KEY: key }).run(['export', 'list'])).exitCode,
    );
    expect(await Promise.all(codes)).toEqual([4, 4]);
  });

  it('sharing a packet prints only its link on stdout, and revoking the share disables the link', async () => {
    const { system, key } = started();
    const { eventId } = await sharePacket(system.url, key);
    const made = await cli.run(['shares', 'create', eventId, '--days', '1']);
    const link = new URL(made.stdout.trim());
    expect([made.exitCode, link.origin, link.pathname.slice(0, 7)]).toEqual([0, system.url, '/s/shr_']);
    const shareId = link.pathname.slice('/s/'.length);
    expect((await cli.run(['shares', 'revoke', shareId])).stderr).toContain(`${shareId} is revoked`);
    const shown = await fetch(`${system.url}/api/public/market-state/demo/shares/${shareId}`);
    expect(await shown.json()).toMatchObject({ share_state: 'revoked', packet: null, proof: { event_id: eventId } });
  });

  it('login stores a valid key, readable only by its owner, and rejects an invalid one', async () => {
    const { system, key } = started();
    const file = join(folder, 'market-state', 'profile.json');
    const without = cli.with({ MARKET_STATE_URL: undefined, MARKET_STATE_API_KEY: undefined });
    const bad = await without.run(['login', '--url', system.url], 'msk_live_unknown\n');
    expect([bad.exitCode, existsSync(file)]).toEqual([4, false]);
    const good = await without.run(['login', '--url', system.url], `${key}\n`);
    expect([good.exitCode, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
    const who = await without.run(['whoami', '--output', 'json']);
    expect(JSON.parse(who.stdout)).toMatchObject({ service: system.url, tenant: expect.any(String) as string });
    expect(`${good.stdout}${good.stderr}${who.stdout}${who.stderr}`).not.toContain(key);
  });

  it("an event is verified locally from the service's bundle", async () => {
    const history = await cli.run([
      'history',
      'BTCUSD-PERP',
      '--limit',
      '1',
      '--output',
      'ndjson',
      '--from',
      String(Date.now() - 1_200_000),
    ]);
    const { event_id: event } = JSON.parse(history.stdout) as { readonly event_id: string };
    const { exitCode, stdout } = await cli.run(['verify', '--event', event]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^BTCUSD-PERP {2}EQUAL: /)]);
    expect(stdout).toMatch(/signatures +\d+ valid/);
  });

  it('a replay ends with its receipt, and no row is missing', async () => {
    const to = Date.now() - 120_000;
    const span = ['--from', String(to - 20_000), '--to', String(to), '--max-credits', '50'];
    const { exitCode, stdout, stderr } = await cli.run(['replay', 'BTCUSD-PERP', ...span, '--channels', 'trades', '--output', 'ndjson']);
    const [, had = '', expected = ''] = /: ([\d,]+) of ([\d,]+) rows/.exec(stderr) ?? [];
    expect([exitCode === 0 || exitCode === 6, had]).toEqual([true, expected]);
    expect(stdout.split('\n').filter((line) => line.includes('"channel":"trades"')).length).toBe(Number(had.replaceAll(',', '')));
  });

  it('a tail loses and repeats nothing while its connection is repeatedly cut, and its process arguments never contain the key', async () => {
    const tail = cli.with({ MARKET_STATE_URL: proxy.url }).start(['tail', SYMBOL, '--channels', 'book,trades', '--output', 'ndjson']);
    for (const wanted of [20, 60, 100, 140]) {
      await waitUntil(`${wanted} rows`, () => tail.lines().length >= wanted);
      if (wanted < 140) await proxy.restart();
    }
    const seen = tail.seenArguments();
    expect(await tail.end()).toBe(130);
    expect(seen).toContain('tail');
    expect(seen).not.toContain(started().key.slice(0, 20));
    expect(tail.stderr()).toMatch(/resume with --since \d+-\d+-\d+\n/);
    const { had, stored } = await compareTail(cli, SYMBOL, tail.lines());
    expect(had).toEqual(stored);
  });

  it('an export is ordered and its files arrive complete, although the connection is cut in the middle of them', async () => {
    const to = Date.now() - 120_000;
    const order = ['--dataset', 'trades', '--symbols', 'BTCUSD-PERP', '--format', 'csv', '--compression', 'none'];
    const span = ['--from', String(to - 600_000), '--to', String(to)];
    const made = await cli.run(['export', 'create', ...order, ...span, '--yes', '--output', 'json']);
    expect([made.exitCode, made.stderr]).toEqual([0, expect.stringMatching(/cost: at most \d+ export credits?;/)]);
    const { job_id: job } = JSON.parse(made.stdout) as { readonly job_id: string };
    expect((await cli.run(['export', 'wait', job])).exitCode).toBe(0);
    proxy.cutAfterBytes(100_000);
    const { exitCode, stdout } = await cli
      .with({ url: proxy.url })
      .run(['export', 'download', job, '--out', 'files', '--output', 'ndjson']);
    expect([exitCode, proxy.cuts() > 0]).toEqual([0, true]);
    for (const line of stdout.trimEnd().split('\n')) {
      const { path, sha256 } = JSON.parse(line) as { readonly path: string; readonly sha256: string };
      expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(sha256);
    }
    expect((await cli.run(['export', 'review', job, '--output', 'json'])).exitCode).toBe(0);
  });
}
