import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** Program of a customer. */
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
  for await (const trade of ms.trades.range({ symbol: 'A', from: '2026-11-30', to: new Date(), limit: 10 })) console.log(trade.row.aggressor_side);
  for await (const candle of ms.candles.range({ from: 0, tf: '1h' })) console.log(candle.open);
  for await (const { id, data } of ms.alerts.stream({ from: 'now' })) console.log(id, data.data.symbol);
  const compact = await ms.latest.get({ symbol: 'A', view: 'compact' });
  console.log(compact.data.rows[0]?.state_label.length);
  // @ts-expect-error only the view compact has it
  console.log((await ms.latest.get({ symbol: 'A' })).data.rows[0]?.state_label);
  const kept: Answer<'getLatest'> = compact;
  for await (const row of ms.history.rows({ view: 'compact' })) console.log(row.runner_up_state, kept.data);
  for await (const message of ms.stream.packets({ view: 'compact' })) if (message.type === 'packet') console.log(message.data.state_label.length);
  for await (const message of ms.stream.data({ channels: ['trades', 'book'] })) {
    if (message.type !== 'row') continue;
    const row = message.data;
    if (row.channel === 'trades') console.log(row.row.aggressor_side, row.row.price.length);
    else if (row.channel === 'book') console.log(row.row.bids[0]?.[0]?.length);
    else if (row.channel === 'packets') console.log(row.packet.state.length, row.packet_digest.length);
    // @ts-expect-error a tick has no price
    else if (row.channel === 'control') console.log(row.row.price);
  }
  const event = await verifyWebhook(body, headers, ['whsec_x']);
  if (event.type === 'packet.created') console.log(event.data.symbol.length);
  console.log(checkChain, checkPacket, NotFoundError);
}
`;

/** Creates a folder with the npm package installed and a program that uses it. */
export async function makePackage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-client-'));
  const scope = join(folder, 'node_modules', '@market-state');
  mkdirSync(scope, { recursive: true });
  await run(process.execPath, [join(root, 'tools/bundle/client-package-main.mjs'), join(scope, 'client')]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  return folder;
}

/** Compiler errors in a program and in all types of the package. */
export async function typeFaults(
  folder: string,
  compiler: string,
  resolution: 'nodenext' | 'bundler',
  program = 'program.ts',
): Promise<string> {
  const options = ['--strict', '--noEmit', '--skipDefaultLibCheck', '--target', 'es2022', '--lib', 'es2023,dom'];
  const modules = ['--moduleResolution', resolution, '--module', resolution === 'bundler' ? 'esnext' : resolution];
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, ...options, ...modules, program], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
}
