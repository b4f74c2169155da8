import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundleOf } from '@market-state/testing';

const ENVIRONMENT = {
  PATH: process.env['PATH'],
  NODE_ENV: 'production',
  DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/webhook',
  REDIS_URL: 'redis://127.0.0.1:1',
  GRPC_ADDRESS: '127.0.0.1:0',
  OPS_PORT: '0',
  LABELING_ADDRESS: '127.0.0.1:1',
  DATA_PLANE_ADDRESS: '127.0.0.1:1',
  ACCOUNT_ADDRESS: '127.0.0.1:1',
  TLS_CERT_FILE: 'c',
  TLS_KEY_FILE: 'k',
  TLS_CA_FILE: 'a',
  WEBHOOK_KEYS: `one:${Buffer.alloc(32, 'k').toString('base64')}`,
  WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8',
};

test.each(['webhook', 'webhook-worker'])(
  '%s ends with code 78 in production when hosts of this machine may be sent to',
  async (name) => {
    const child = spawn(process.execPath, [bundleOf(name)], { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [exitCode] = (await once(child, 'close')) as [number];
    expect({ exitCode, said }).toEqual({ exitCode: 78, said: expect.stringContaining('WEBHOOK_TEST_TARGETS') as string });
    expect(said).not.toContain('DATABASE_URL');
  },
  60_000,
);
