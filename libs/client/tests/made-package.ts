import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** A customer's program. */
const PROGRAM = `
import { type Answer, MarketState, NotFoundError, type PacketMessage } from '@market-state/client';
import { checkChain, checkPacket } from '@market-state/client/verify';
import { verifyWebhook } from '@market-state/client/webhooks';

export const ms = new MarketState({ baseUrl: 'http://127.0.0.1:1', apiKey: 'msk_live_x' });
export async function read(body: string, headers: Headers): Promise<void> {
  const answer: Answer<'getBookL2Latest'> = await ms.book.latest({ depth: 10 });
  const price: string | undefined = answer.data.bids[0]?.price;
  // @ts-expect-error a parameter that is not one
  await ms.book.latest({ deep: 10 });
  // @ts-expect-error what a path needs is missing
  await ms.events.evidence({});
  for await (const row of ms.history.rows({ symbol: 'A' })) if (row.state === 'a state of later' || row.state === 'depth_watch') console.log(price);
  for await (const message of ms.stream.packets()) if (message.type === 'packet') ((_kept: PacketMessage) => undefined)(message);
  const event = await verifyWebhook(body, headers, ['whsec_x']);
  if (event.type === 'packet.created') console.log(event.data.symbol.length);
  console.log(checkChain, checkPacket, NotFoundError);
}
`;

/** A folder with the npm package installed and a program that uses it. */
export async function makePackage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-client-'));
  const scope = join(folder, 'node_modules', '@market-state');
  mkdirSync(scope, { recursive: true });
  await run(process.execPath, [join(root, 'tools/bundle/client-package-main.mjs'), join(scope, 'client')]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  return folder;
}

/** Compiler errors of the program and of every type of the package; empty if there are none. */
export async function typeFaults(folder: string, compiler: string, resolution: 'nodenext' | 'bundler'): Promise<string> {
  const options = ['--strict', '--noEmit', '--skipDefaultLibCheck', '--target', 'es2022', '--lib', 'es2023,dom'];
  const modules = ['--moduleResolution', resolution, '--module', resolution === 'bundler' ? 'esnext' : resolution];
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, ...options, ...modules, 'program.ts'], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
}
