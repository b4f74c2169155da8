import { join } from 'node:path';
import { runSystem, type Running } from './run-system';
import { services } from './services';
import { readStartSettings } from './start-settings';
import { serviceNames } from './system/served-services';
import { workspaceRoot } from './workspace-root';

const wanted = process.argv.slice(2);

runSystem(async (say) => {
  const names = serviceNames(wanted);
  const dataDir = process.env['DATA_DIR'] || join(workspaceRoot(), '.data', 'serve', wanted.join('-'));
  const settings = await readStartSettings({ ...process.env, DATA_DIR: dataDir }, say);
  return { ...settings, runs: names.flatMap((name) => Object.keys(services[name]?.processes ?? {})) };
}, sayAddresses);

async function sayAddresses({ system: { processes, url, dataDir, demoKey }, say }: Running): Promise<void> {
  say('');
  for (const name of processes.names) {
    const { grpc, ops } = processes.portsOf(name);
    const rpc = grpc === undefined ? '' : `127.0.0.1:${grpc}, `;
    say(`${name}: ${rpc}http://127.0.0.1:${ops}/metrics, ${join(dataDir, 'logs', `${name}.log`)}`);
  }
  if (processes.names.includes('gateway')) for (const line of ['', `Address:   ${url}`, `Demo key:  ${await demoKey()}`]) say(line);
}
