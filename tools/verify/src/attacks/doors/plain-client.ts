import { callOnce } from '@market-state/testing';
import type { SuiteContext } from '../../harness';
import { CLAIM, LOGIN } from '../paths';
import type { Scene } from '../scene';

const PASSWORD = 'a long pass phrase of the suite';

/** What curl and an SDK send: application/json alone. They may claim and log in; a page of another site may not. */
export async function openPlainly({ gateway, edge }: Scene, { report, seed }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'plain client', planId: 'public_builder' });
  const email = `plain-${seed}@example.com`;
  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<number> =>
    (await callOnce(`${gateway.url}${path}`, { method: 'POST', from: '127.0.5.2', headers, body }))?.status ?? 0;
  const claim = await post(CLAIM, { email, password: PASSWORD, api_key: tenant.key });
  const login = await post(LOGIN, { email, password: PASSWORD });
  const wrong = await post(LOGIN, { email, password: `${PASSWORD}, but wrong` });
  const foreign = await post(LOGIN, { email, password: PASSWORD }, { origin: 'https://evil.example' });
  const crossSite = await post(LOGIN, { email, password: PASSWORD }, { 'sec-fetch-site': 'cross-site' });
  report.check(claim === 200, `A claim by a plain client got ${claim}.`);
  report.check(login === 200, `A login by a plain client got ${login}.`);
  report.check(wrong === 401, `A wrong login by a plain client got ${wrong}.`);
  report.check(foreign === 403 && crossSite === 403, `A login from another site got ${foreign} and ${crossSite}.`);
  report.figure(
    'plain client: claim, login, wrong login; foreign origin, cross-site',
    `${claim}, ${login}, ${wrong}; ${foreign}, ${crossSite}`,
  );
}
