import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerFileText, callerTokens } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { type BootOptions, bootService, type Service } from './boot-service';

const folder = mkdtempSync(join(tmpdir(), 'boot-service-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'token'), callerFileText(callerTokens(Buffer.alloc(32, 7), 'account', ['account'])));

const options: BootOptions = {
  name: 'account',
  logLevel: 'info',
  rpc: { kind: 'token', tokenFile: join(folder, 'token') },
  opsPort: 0,
  methodRules: { callers: { '/grpc.health.v1.Health/Check': [], '/grpc.health.v1.Health/Watch': [] }, idempotent: new Set() },
  dependencies: ['postgres'],
  logger: silentLogger(),
};

async function readyz(port: number): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  return { status: response.status, body: await response.json() };
}

/** Adds closing steps that record their order. */
function addSteps({ closer }: Service, closed: string[]): void {
  for (const step of ['first', 'second']) closer.add(step, async () => void closed.push(step));
}

test('a start that fails closes what it opened, last first, and frees the ops port', async () => {
  const closed: string[] = [];
  const opened: { port?: number } = {};
  const starting = bootService(options, async (service) => {
    addSteps(service, closed);
    const address = await service.serve({ address: '127.0.0.1:0', services: [], shutdownWaitMs: 0 });
    opened.port = Number(address.split(':')[1]);
    throw new Error('no database');
  });
  await expect(starting).rejects.toThrow('no database');
  expect(closed).toEqual(['second', 'first']);
  await expect(fetch(`http://127.0.0.1:${opened.port}/`)).rejects.toThrow('fetch failed');
});

test('is ready once started and while every dependency is up, and names the one that is down', async () => {
  const running = await bootService(options, async (service) => {
    const { health } = service;
    return { health };
  });
  expect(await readyz(running.opsPort)).toEqual({ status: 503, body: { ready: false, checks: { postgres: false } } });
  running.health.set('postgres', true);
  expect(await readyz(running.opsPort)).toEqual({ status: 200, body: { ready: true, checks: { postgres: true } } });
  await running.close();
  await expect(readyz(running.opsPort)).rejects.toThrow('fetch failed');
});

test('repeated work goes on after a failure and ends with the process', async () => {
  let runs = 0;
  const running = await bootService({ ...options, dependencies: [] }, async (service) => {
    const repeatedTwice = new Promise<void>((resolve) => {
      service.repeat('work', 1, async () => {
        runs += 1;
        if (runs === 2) resolve();
        throw new Error('fails');
      });
    });
    await repeatedTwice;
    return {};
  });
  await running.close();
  const runsAtClose = runs;
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBe(runsAtClose);
});
