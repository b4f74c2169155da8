import type { Closer } from '@market-state/lifecycle';
import { readSteadily, type SteadyReads } from '../cluster/steady-reads';
import { BOOK, LATEST, TRADES } from '../edge/routes';
import { openCaller, type Tenant } from '@market-state/testing';
import { makeCustomer } from '../harness';
import { LIVE } from '../standby/scene';
import type { RollingScene } from './scene';

/** A route that is read all the time, by a tenant of its own. */
export interface Reader {
  readonly path: string;
  readonly tenant: Tenant;
  readonly reads: SteadyReads;
}

const CONNECTIONS = 64;
const DATA = '/api/public/data';
const MARKET_STATE = '/api/public/market-state';

/** Routes that together ask every service, with their share of the reads in hundredths. */
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

/** Begins to read so many times a second in all. */
export async function readAll({ url, account, rpc }: RollingScene, closer: Closer, perSecond: number): Promise<Reader[]> {
  const tenants: Tenant[] = [];
  for (const [path] of ROUTES) tenants.push(await makeCustomer(`readers of ${path}`, account, rpc.identityOf('operator')));
  const call = openCaller(closer, CONNECTIONS);
  return ROUTES.map(([path, hundredths], index) => {
    const tenant = tenants[index] as Tenant;
    return { path, tenant, reads: readSteadily(call, `${url}${path}`, tenant, (perSecond * hundredths) / 100) };
  });
}
