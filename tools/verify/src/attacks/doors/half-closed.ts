import { setTimeout as delay } from 'node:timers/promises';
import { BOOK, LATEST, TRADES } from '../../edge/routes';
import { callOnce, atOnce, sumOf } from '@market-state/testing';
import { type SuiteContext, receiptsOf } from '../../harness';
import { exchangeRaw, goodAnswersIn } from '../raw-exchange';
import type { Scene } from '../scene';

const CALLS = 40;
/** The own half is closed up to so long after the request, while it is worked on. */
const CLOSED_MS_MAX = 10;
/** Batches are posted each 100 ms; what would be charged is there by then. */
const POSTED_MS = 1_500;

/** Callers who close their half behind the request: each gets its answer, or is not charged. */
export async function leaveHalfClosed({ gateway, edge }: Scene, { report, random }: SuiteContext): Promise<void> {
  const tenant = await edge.tenants.create({ name: 'half closed', planId: 'public_pro' });
  const { port } = gateway.process;
  const known = await callOnce(`${gateway.url}${LATEST}`, { key: tenant.key });
  const request = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nx-market-state-api-key: ${tenant.key}\r\n\r\n`;
  const received = await atOnce(CALLS, (at) => {
    // One call alone, or a quick one that has to wait behind a slower one.
    const text = [request(LATEST), request(`${TRADES}&limit=5`), request(`${BOOK}&depth=5`) + request(LATEST)][at % 3] ?? '';
    return exchangeRaw({ port, text, halfCloseMs: Math.floor(random() * CLOSED_MS_MAX) });
  });
  const answered = sumOf(received.map(goodAnswersIn)) + (known?.status === 200 ? 1 : 0);
  await delay(POSTED_MS);
  const charged = await receiptsOf(edge.pool, tenant.tenantId);
  report.check(charged <= answered, `${charged} calls of half-closed callers were charged, and ${answered} got their answer.`);
  report.figure('half-closed callers: connections, calls answered, charged', `${CALLS}, ${answered}, ${charged}`);
}
