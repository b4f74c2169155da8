import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionStatus, MarketState, type StreamMessages } from '@market-state/client';
import type { Closer } from '@market-state/lifecycle';
import { openCaller, type Tenant, comesTrue } from '@market-state/testing';
import { readSteadily, type SteadyReads } from '../cluster/load';
import { BOOK, LATEST, TRADES } from '../edge/edge';
import { makeCustomer, type Customer, customerAt } from '../harness';
import { LIVE, RECORDED } from '../standby-scene';
import type { RollingScene } from './scene';

export interface RowStream {
  readonly symbol: string;
  end(): Promise<RowsSeen>;
}

interface RowsSeen {
  readonly came: readonly string[];
  /** Positions of the stored rows from the first received to the last. */
  readonly stored: readonly string[];
  readonly connections: number;
}

type Row = Extract<StreamMessages['streamData'], { readonly type: 'row' }>['data'];

const CHANNELS = ['trades'] as const;
const CREDITS_MAX = 1_000_000;
const STORED_MS_MAX = 10_000;
const STORED_POLL_MS = 500;

export function readRows(baseUrl: string, apiKey: string, symbol: string): RowStream {
  const ms = new MarketState({ baseUrl, apiKey });
  let [isOver, connections] = [false, 0];
  const onConnection = ({ state }: ConnectionStatus): void => {
    if (state === 'open') connections += 1;
  };
  async function read(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const message of ms.stream.data({ symbols: symbol, channels: CHANNELS }, { maxCredits: CREDITS_MAX, onConnection })) {
      if (message.type === 'row') rows.push(message.data);
      // The seams of a looped recording appear in the gap ledger.
      else if (message.type !== 'gap') throw new Error(`The trade stream of ${symbol} sent ${message.type}.`);
      if (isOver) break;
    }
    return rows;
  }
  const reading = read();
  reading.catch(() => undefined);
  return {
    symbol,
    async end() {
      isOver = true;
      const rows = await reading;
      const came = rows.map(placeOf);
      let stored: string[] = [];
      // The request may reach a different process than the one that had the last row first.
      const areAllThere = async (): Promise<boolean> => {
        stored = await storedRows(ms, symbol, rows);
        return stored.at(-1) === came.at(-1);
      };
      await comesTrue(areAllThere, { limitMs: STORED_MS_MAX, everyMs: STORED_POLL_MS });
      return { came, stored, connections };
    },
  };
}

function placeOf({ epoch, sequence, channel }: Pick<Row, 'epoch' | 'sequence' | 'channel'>): string {
  return `${epoch} ${sequence} ${channel}`;
}

async function storedRows(ms: MarketState, symbol: string, rows: readonly Row[]): Promise<string[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const times = rows.map(({ exchange_time_utc: time }) => Date.parse(time));
  const span = { start: String(Math.min(...times)), end: String(Math.max(...times) + 1) };
  const stored: string[] = [];
  for await (const row of ms.replayWindow.rows({ symbol, ...span, channels: CHANNELS.join(',') }, { maxCredits: CREDITS_MAX }))
    if (row.sequence >= first.sequence && row.sequence <= last.sequence) stored.push(placeOf(row));
  return stored;
}

const ENDPOINT = 'rolling';
const ORDER_EVERY_MS = 10_000;

/** A customer who orders exports continuously and receives every packet of a symbol by webhook. */
export interface Orders {
  readonly customer: Customer;
  readonly ordered: readonly string[];
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

export async function beginOrders({ url, account, rpc, receivers }: RollingScene): Promise<Orders> {
  const customer = customerAt(url, await makeCustomer('a customer', account, rpc.identityOf('operator')));
  const reported = { kinds: ['packet.created'], symbols: [RECORDED] };
  await customer.register(receivers.urlOf(ENDPOINT), reported, (id, secret) => receivers.know(ENDPOINT, id, secret));
  receivers.setDeed(ENDPOINT, 'ok');
  const [ordered, failed]: [string[], string[]] = [[], []];
  const ended = new AbortController();
  async function orderOn(): Promise<void> {
    for (let number = 1; !ended.signal.aborted; number += 1) {
      await customer.order(`rolling-${number}`, RECORDED).then(
        (id) => ordered.push(id),
        (error: Error) => failed.push(error.message),
      );
      await delay(ORDER_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }
  const ordering = orderOn();
  return {
    customer,
    ordered,
    failed,
    async stop() {
      ended.abort();
      await ordering;
    },
  };
}

export interface Reader {
  readonly path: string;
  readonly tenant: Tenant;
  readonly reads: SteadyReads;
}

const CONNECTIONS = 64;
const DATA = '/api/public/data';
const MARKET_STATE = '/api/public/market-state';

/** Routes that together call every service, with their share of reads in percent. */
const ROUTES: readonly (readonly [path: string, hundredths: number])[] = [
  [LATEST, 42],
  [`${MARKET_STATE}/latest?symbol=${LIVE}`, 16],
  [TRADES, 10],
  [BOOK, 10],
  [`${DATA}/candles?symbol=${LIVE}&tf=1m`, 4],
  [`${DATA}/gaps?symbol=${LIVE}`, 4],
  [`${MARKET_STATE}/replay?symbol=${LIVE}&limit=5`, 4],
  [`${MARKET_STATE}/events/search?symbol=${LIVE}&limit=5`, 2],
  [`${MARKET_STATE}/account/me`, 2],
  [`${MARKET_STATE}/usage?limit=5`, 2],
  [`${DATA}/export/jobs?limit=5`, 2],
  [`${MARKET_STATE}/watchlists`, 2],
];

export async function readAll({ url, account, rpc }: RollingScene, closer: Closer, perSecond: number): Promise<Reader[]> {
  const tenants: Tenant[] = [];
  for (const [path] of ROUTES) tenants.push(await makeCustomer(`readers of ${path}`, account, rpc.identityOf('operator')));
  const call = openCaller(closer, CONNECTIONS);
  return ROUTES.map(([path, hundredths], index) => {
    const tenant = tenants[index] as Tenant;
    return { path, tenant, reads: readSteadily(call, `${url}${path}`, tenant, (perSecond * hundredths) / 100) };
  });
}
