import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { useOwnTemporaryFolder } from '@market-state/launcher';
import { offerTestServers, sharedServersFile } from './test-servers';

async function main(): Promise<void> {
  useOwnTemporaryFolder();
  const file = sharedServersFile();
  const { address, stop } = await offerTestServers();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, address, { mode: 0o600 });
  const end = async (): Promise<void> => {
    rmSync(file, { force: true });
    await stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void end());
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
