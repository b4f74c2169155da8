import { setTimeout as delay } from 'node:timers/promises';
import { ledgerAudit } from '@market-state/account';
import type { ProofResult } from '../proof';
import { type Answer, createCaller, NoAnswer } from './caller';
import { type Edge, openEdge } from './edge';
import { createFaults, type Faults } from './faults';
import { judgeLedger } from './judge-ledger';
import { CallLog } from './call-log';
import type { Market } from './market';
import type { MeteredSettings } from './metered-settings';
import type { EdgeTenant } from './office';
import { BOOK, LATEST, TRADES } from './routes';

const GATEWAYS = 3;
const CONNECTIONS = 24;
/** Credits of the tenants: the last has too few for its share of the calls. */
const CREDITS = [1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000];
/** At each piece of data; a transaction is a dozen pieces to the database. */
const RESETS = { account: 0.02, database: 0.02 / 12 };
const REFUSED_PAUSE_MS = 20;
const RELEASED_MS_MAX = 130_000;

/**
 * Calls metered routes of gateways over HTTP while they and account are killed and connections are reset, then compares the ledger with
 * what was answered.
 */
export async function callMetered(market: Market, settings: MeteredSettings): Promise<ProofResult> {
  const edge = await openEdge(market, { gateways: GATEWAYS, random: settings.random, resets: RESETS });
  const wires = [edge.databaseWire, ...edge.gateways.map(({ wire }) => wire)];
  const log = new CallLog();
  try {
    for (const wire of wires) wire.calm();
    await edge.ready();
    const tenants: EdgeTenant[] = [];
    for (const [at, credits] of CREDITS.entries()) tenants.push(await edge.office.tenant(`metered ${at}`, 'enterprise', credits));
    for (const wire of wires) wire.stir();
    const faults = createFaults(edge, wires, settings);
    await callAll(edge, tenants, log, faults, settings);
    for (const wire of wires) wire.calm();
    await edge.ready();
    await edge.stopGateways();
    if (settings.untilReleased) await untilReleased(edge);
    const judged = await judgeLedger(
      edge.pool,
      tenants.map(({ tenantId }) => tenantId),
      log,
      faults.deaths(),
      settings.untilReleased,
    );
    const audit = await ledgerAudit(edge.pool, Date.now());
    return {
      failures: [...faults.failures(), ...judged.failures, ...audit.faults.map(({ tenantId, message }) => `${tenantId}: ${message}`)],
      timing: judged.timing,
      figures: [
        ['calls answered well, refused, without an answer', `${log.served.length}, ${log.refusedTotal()}, ${log.lost.length}`],
        ['refusals by status', [...log.refused].map(([status, total]) => `${status}: ${total}`).join(', ')],
        [
          'kills of gateways and of account, connections reset to account and to the database',
          `${settings.kills}, ${wires.slice(1).reduce((sum, wire) => sum + wire.resets(), 0)} and ${edge.databaseWire.resets()}`,
        ],
        ...judged.figures,
      ],
    };
  } finally {
    await edge.close();
  }
}

async function callAll(
  { gateways }: Edge,
  tenants: readonly EdgeTenant[],
  log: CallLog,
  faults: Faults,
  { calls, random }: MeteredSettings,
): Promise<void> {
  const caller = createCaller(CONNECTIONS);
  const anyOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  let tag = '';
  let made = 0;

  function request(): { readonly path: string; readonly headers?: Record<string, string> } {
    const at = random();
    if (at < 0.6) return { path: LATEST };
    if (at < 0.7 && tag !== '') return { path: LATEST, headers: { 'if-none-match': tag } };
    if (at < 0.85) return { path: `${TRADES}&limit=300` };
    return at < 0.95 ? { path: `${BOOK}&depth=20` } : { path: `${TRADES}&limit=0` };
  }

  function note(answer: Answer, requestId: string, tenantId: string, gateway: number, life: number): void {
    if (answer.status !== 200 && answer.status !== 304) return log.refuse(answer, requestId);
    if (answer.status === 200 && typeof answer.headers.etag === 'string' && answer.text.includes('"packet_refs"'))
      tag = answer.headers.etag;
    log.serve({ requestId, tenantId, credits: Number(answer.headers['x-credits-charged']), gateway, life, endMs: answer.endMs });
  }

  async function work(): Promise<void> {
    while (log.served.length < calls || !faults.isDone()) {
      const [gateway, { tenantId, key }, { path, headers }] = [Math.floor(random() * GATEWAYS), anyOf(tenants), request()];
      const requestId = `call_${(made += 1)}`;
      const [life, sentMs] = [faults.lifeOf(gateway), performance.now()];
      try {
        note(
          await caller.call(`${gateways[gateway]?.url ?? ''}${path}`, { key, headers: { ...headers, 'x-request-id': requestId } }),
          requestId,
          tenantId,
          gateway,
          life,
        );
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (error.wasSent) log.lose({ requestId, gateway, sentMs, lostMs: performance.now() });
        else await delay(REFUSED_PAUSE_MS);
      }
      faults.onCall(log.served.length);
    }
  }

  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  } finally {
    caller.close();
  }
}

async function untilReleased({ pool }: Edge): Promise<void> {
  for (const untilMs = Date.now() + RELEASED_MS_MAX; Date.now() < untilMs; await delay(500)) {
    const { rowCount } = await pool.query('SELECT 1 FROM credit_hold WHERE ended_at IS NULL LIMIT 1');
    if (rowCount === 0) return;
  }
}
