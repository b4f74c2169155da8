import { setTimeout as delay } from 'node:timers/promises';
import { LATEST } from '../../edge/routes';
import { callOnce } from '@market-state/testing';
import { type SuiteContext, receiptsOf } from '../../harness';
import { CLAIM } from '../paths';
import type { Scene } from '../scene';

const POSTED_MS = 1_500;

/** A read by cookie that another site makes a browser send: 403, and nothing is charged; the same read from the own page is served. */
export async function readCrossSite({ gateway, edge }: Scene, { report, seed }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'cross site', planId: 'public_builder' });
  const claimed = await callOnce(`${gateway.url}${CLAIM}`, {
    method: 'POST',
    from: '127.0.5.1',
    headers: { origin: gateway.url, 'sec-fetch-site': 'same-origin' },
    body: { email: `cross-site-${seed}@example.com`, password: 'a long pass phrase of the suite', api_key: tenant.key },
  });
  const [cookie = ''] = claimed?.headers['set-cookie']?.map((line) => line.split(';')[0] ?? '') ?? [];
  if (claimed?.status !== 200 || cookie === '')
    return report.fail(`No session to read with: the claim got ${claimed?.status ?? 0} ${claimed?.text ?? ''}`);
  const read = async (site: string): Promise<number> =>
    (await callOnce(`${gateway.url}${LATEST}`, { headers: { cookie, 'sec-fetch-site': site } }))?.status ?? 0;
  const crossSite = await read('cross-site');
  await delay(POSTED_MS);
  const charged = await receiptsOf(edge.pool, tenant.tenantId);
  const own = await read('same-origin');
  report.check(crossSite === 403, `A cross-site read by cookie got ${crossSite}.`);
  report.check(charged === 0, 'A cross-site read by cookie was charged.');
  report.check(own === 200, `A read by cookie from the own page got ${own}.`);
  report.figure('reads by cookie: cross-site, charged, own page', `${crossSite}, ${charged}, ${own}`);
}
