import { once } from 'node:events';
import WebSocket from 'ws';
import { silentLogger } from '@market-state/logging';
import { type SimulatedVenue, startSimulatedVenue } from '../src/index';

/** A multiple of 10,000. */
export const START_MS = 1_767_571_200_000;

export interface Frame {
  readonly channel: string;
  readonly data: {
    readonly time: number;
    readonly levels: readonly (readonly { readonly px: string }[])[];
    readonly n: number;
    readonly ctx: { readonly funding: string };
  } & readonly { readonly tid: number; readonly time: number; readonly px: string }[];
}

export interface Client {
  readonly socket: WebSocket;
  readonly texts: string[];
  frames(channel: string): Frame[];
}

/** Clock moves only when the test advances it. */
export function stepped(seed = 1): Promise<SimulatedVenue> {
  return startSimulatedVenue({ address: '127.0.0.1:0', seed, logger: silentLogger(), startMs: START_MS, scenario: 'calm' });
}

export async function connect(venue: SimulatedVenue, ...subscriptions: readonly object[]): Promise<Client> {
  const socket = new WebSocket(venue.wsUrl);
  const texts: string[] = [];
  socket.on('message', (data: Buffer) => texts.push(data.toString('utf8')));
  await once(socket, 'open');
  for (const subscription of subscriptions) {
    socket.send(JSON.stringify({ method: 'subscribe', subscription }));
    await once(socket, 'message');
  }
  await venue.flushed();
  const frames = (channel: string): Frame[] =>
    texts.flatMap((text) => (text.startsWith(`{"channel":"${channel}"`) ? [JSON.parse(text) as Frame] : []));
  return { socket, texts, frames };
}

export const EVERYTHING = [
  { type: 'l2Book', coin: 'SIM' },
  { type: 'l2Book', coin: 'SIM', fast: true },
  { type: 'bbo', coin: 'SIM' },
  { type: 'trades', coin: 'SIM' },
  { type: 'activeAssetCtx', coin: 'SIM' },
  { type: 'candle', coin: 'SIM', interval: '1m' },
  { type: 'simLiquidations', coin: 'SIM' },
];

export async function post(url: string, body: unknown, contentType = 'application/json'): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': contentType } });
  return { status: response.status, body: await response.json() };
}
