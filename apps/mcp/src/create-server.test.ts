import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { sizeOf } from './findings';
import { createServer, toolsFor } from './create-server';
import { openSession } from './session';

const LIST_BYTES_MAX = 16_000;

/** Tool list as clients get it. */
async function listed(mayExport: boolean) {
  const session = { ...openSession({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', allowExports: false, requestId: () => 'r' }) };
  const server = await createServer({ ...session, mayExport: () => Promise.resolve(mayExport) }, () => undefined);
  const client = new Client({ name: 'test', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  try {
    return await client.listTools();
  } finally {
    await client.close();
    await server.close();
  }
}

test('the list of twelve tools with their schemas stays within 16 kB', async () => {
  const { tools } = await listed(true);
  expect(tools).toHaveLength(12);
  expect(sizeOf({ tools })).toBeLessThanOrEqual(LIST_BYTES_MAX);
  for (const { outputSchema, inputSchema } of tools) expect([outputSchema?.['type'], inputSchema['type']]).toEqual(['object', 'object']);
});

test('the tool that orders files is offered to those alone who may, and is the only one that changes anything', async () => {
  const names = async (mayExport: boolean) => (await listed(mayExport)).tools.map(({ name }) => name);
  expect((await names(true)).filter((name) => name === 'create_export')).toEqual(['create_export']);
  expect(await names(false)).not.toContain('create_export');
  const { tools } = await listed(true);
  for (const { name, annotations } of tools)
    expect([name, annotations?.readOnlyHint, annotations?.idempotentHint]).toEqual([
      name,
      name !== 'create_export',
      name !== 'create_export',
    ]);
});

test('every description ends with what the call costs, and every tool that costs anything can be tried dry', () => {
  for (const { name, description, input, calls, orders } of toolsFor(true)) {
    expect([name, /\. Cost: [^.]+\.$/.test(description)]).toEqual([name, true]);
    if (orders !== true) expect([name, 'dry_run' in input.shape]).toEqual([name, calls !== undefined]);
  }
});

test('the documentation lists the tools that are listed, and counts them', async () => {
  const page = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const names = async (mayExport: boolean) => (await listed(mayExport)).tools.map(({ name }) => name);
  const [, table = ''] = /\| tool \| answers.*\n((?:\|.*\n)+)/.exec(page('apps/mcp/README.md')) ?? [];
  const documented = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) => cell.match(/[a-z]+[a-z_]*/g) ?? []);
  expect(documented.toSorted()).toEqual((await names(true)).toSorted());
  expect((await names(true)).filter((name) => name !== 'create_export')).toEqual(await names(false));
  expect([(await names(false)).length, (await names(true)).length]).toEqual([11, 12]);
  for (const path of ['docs/site/guides/agents.md', 'docs/agents.md']) {
    expect([path, page(path).match(/(eleven|twelve|11|12) tools/i)?.[0]]).toEqual([path, 'eleven tools']);
    expect(page(path)).toContain('`create_export` with the scope `export`');
  }
});
