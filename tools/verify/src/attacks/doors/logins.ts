import { callOnce, atOnce, countsOf, lastMsOf, rounded, statusesOf } from '@market-state/testing';
import type { SuiteContext } from '../../harness';
import { LOGIN } from '../paths';
import type { Scene } from '../scene';

const EXPECTED: ReadonlySet<number> = new Set([401, 429, 503]);

/** Logins at once from as many addresses: passwords are hashed, or the queue is full, and nobody waits for nothing. */
export async function logInAtOnce({ gateway, sizes }: Scene, { report }: SuiteContext): Promise<void> {
  const answers = await atOnce(sizes.logins.addresses, (at) =>
    callOnce(`${gateway.url}${LOGIN}`, {
      method: 'POST',
      from: `127.0.6.${at + 1}`,
      headers: { origin: gateway.url, 'sec-fetch-site': 'same-origin' },
      body: { email: `nobody-${at}@example.com`, password: 'no password of anyone' },
    }),
  );
  const strange = answers.filter((answer) => !EXPECTED.has(answer?.status ?? 0));
  const full = answers.filter((answer) => answer?.status === 503 && !(Number(answer.headers['retry-after']) >= 1));
  report.check(strange.length === 0, `Logins at once: ${countsOf(statusesOf(strange))} (0: none) beside 401, 429 and 503.`);
  report.check(full.length === 0, `Logins at once: ${full.length} answers by 503 do not say when to come again.`);
  report.figure(
    'logins at once: addresses, by status, last answer after ms',
    `${answers.length}, ${countsOf(statusesOf(answers))}, ${rounded(lastMsOf(answers))}`,
  );
}
