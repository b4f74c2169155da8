import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { commandTree, createWorkplace, type Workplace } from './run';

let place: Workplace;
beforeAll(() => {
  place = createWorkplace();
});
afterAll(() => place.remove());

function leaves(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((below) => leaves(below, [...path, below.name()]));
}

test('every command but the MCP server, whose stdout is a protocol of JSON, takes --output json', async () => {
  const program = await commandTree('--help');
  const without = leaves(program).filter(
    ([, command]) => command.options.find(({ long }) => long === '--output')?.argChoices?.includes('json') !== true,
  );
  expect(without.map(([path]) => path)).toEqual(['mcp']);
});

async function jsonOf(...args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await place.run(...args, '--output', 'json');
  expect([args, stderr, stdout]).toEqual([args, expect.anything(), expect.stringMatching(/^[[{]/)]);
  return JSON.parse(stdout);
}

test('lines of a recording become one list with the same items', async () => {
  const lines = (await place.run('scenario', 'calm', '--hours', '0.01')).lines.map((line) => JSON.parse(line) as unknown);
  expect(lines.length).toBeGreaterThan(10);
  expect(await jsonOf('scenario', 'calm', '--hours', '0.01')).toEqual(lines);
  await place.run('scenario', 'calm', '--hours', '0.05', '--out', 'rows.ndjson');
  const packets = (await place.run('label', 'rows.ndjson')).lines.map((line) => JSON.parse(line) as unknown);
  expect(await jsonOf('label', 'rows.ndjson')).toEqual(packets);
});

test('comparisons, lists and local commands are JSON', async () => {
  expect(await jsonOf('scenario')).toContainEqual({ name: 'set', description: expect.any(String) as unknown });
  await place.run('scenario', 'calm', '--hours', '0.2', '--out', 'calm.ndjson');
  expect(await jsonOf('stability', 'calm.ndjson')).toMatchObject([{ schema: 'market_state_stability.v1' }]);
  const diff = (await jsonOf('diff-policy', 'calm.ndjson', '--a', 'default', '--b', 'default')) as unknown[];
  expect(diff.at(-1)).toMatchObject({ kind: 'totals' });
  expect(await jsonOf('report', 'calm.ndjson', '--out', 'report.html')).toMatchObject({ file: 'report.html' });
  expect(await jsonOf('certificates', '--out', 'tls')).toMatchObject({ services: expect.arrayContaining(['gateway']) as unknown });
  expect(await jsonOf('completion', 'bash')).toMatchObject({ shell: 'bash', script: expect.stringContaining('complete') as unknown });
});

test('a change prints its answer as JSON if asked for, else what scripts read today', async () => {
  const answer = { share_id: 's', routes: { page: '/s/x', badge: '/b' }, key: 'msk_1', record: { key_id: 'key_1', scopes: [] } };
  const server: Server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const called = createWorkplace({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'msk_live_test' });
  try {
    const share = ['shares', 'create', `evt_${'0'.repeat(26)}`];
    expect((await called.run(...share)).stdout).toMatch(/^http\S+\/s\/x\n$/);
    expect(JSON.parse((await called.run(...share, '--output', 'json')).stdout)).toEqual(answer);
    expect((await called.run('account', 'keys', 'create')).stdout).toBe('msk_1\n');
    expect(JSON.parse((await called.run('account', 'keys', 'create', '--output', 'json')).stdout)).toEqual({
      key: 'msk_1',
      record: answer.record,
    });
  } finally {
    called.remove();
    server.close();
  }
});
