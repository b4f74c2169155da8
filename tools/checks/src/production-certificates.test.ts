import { execFile } from 'node:child_process';
import { bundleOf, testRpcVariables } from '@market-state/testing';

const UNPRIVILEGED_USER = '127.0.0.1:1';
const stores = { DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/d', REDIS_URL: 'redis://127.0.0.1:1' };
const secret = 's'.repeat(32);

/** Exit code and output of a bundled process. */
function run(name: string, env: NodeJS.ProcessEnv): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bundleOf(name)], { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code, output: stdout + stderr }),
    );
  });
}

test.each([
  [
    'account in production',
    'account',
    {
      ...testRpcVariables('account'),
      ...stores,
      NODE_ENV: 'production',
      ANSWER_SECRET: secret,
      PUBLIC_BASE_URL: 'https://market-state.example',
      OUTBOX_DIR: '/nowhere',
    },
  ],
  [
    'gateway in production',
    'gateway',
    {
      ...testRpcVariables('gateway'),
      NODE_ENV: 'production',
      QUOTE_SECRET: secret,
      LINK_SECRET: secret,
      ACCOUNT_ADDRESS: UNPRIVILEGED_USER,
      LABELING_ADDRESS: UNPRIVILEGED_USER,
      DATA_PLANE_ADDRESS: UNPRIVILEGED_USER,
      EXPORT_ADDRESS: UNPRIVILEGED_USER,
      WEBHOOK_ADDRESS: UNPRIVILEGED_USER,
      MCP_ADDRESS: UNPRIVILEGED_USER,
    },
  ],
  ['recorder off loopback', 'data-plane-recorder', { ...testRpcVariables('data-plane-recorder'), ...stores, GRPC_ADDRESS: '0.0.0.0:0' }],
])('%s refuses to start without certificates, and names the variables', async (_case, name, env) => {
  const { code, output } = await run(name, env);
  expect(code).toBe(78);
  for (const variable of ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE']) expect(output).toContain(variable);
});
