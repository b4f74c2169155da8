import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, atOnce, countsOf, NoAnswer, oneOf, openCaller, sumOf, type Tenant } from '@market-state/testing';
import { auditLedger, type SuiteContext, unreleasedHolds } from '../harness';
import { CallLog, judgeLedger } from './judge-ledger';
import { type Edge, openEdge, type Market, BOOK, LATEST, TRADES } from './edge';
import { createFaults, type Faults } from './faults';

export interface MeteredSettings {
  /** Half of account, half of gateways. */
  readonly kills: number;
  /** Waits until the leases of dead gateways expire: 90 s. */
  readonly untilReleased: boolean;
}

const GATEWAYS = 3;
const CONNECTIONS = 24;
/** The last tenant has too few for its share of the calls. */
const CREDITS = [1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_000];
/** Per chunk of data; a transaction takes about a dozen. */
const RESETS = { account: 0.02, database: 0.02 / 12 };
const REFUSED_PAUSE_MS = 20;

export async function callMetered(context: SuiteContext, market: Market, { kills, untilReleased }: MeteredSettings): Promise<void> {
  const { closer, report, random } = context;
  const edge = await openEdge(closer, market, { gateways: GATEWAYS, random, resets: RESETS });
  const gatewayWires = edge.gateways.map(({ wire }) => wire);
  const wires = [edge.databaseWire, ...gatewayWires];
  for (const wire of wires) wire.calm();
  await edge.ready();
  const tenants = await atOnce(CREDITS.length, (at) =>
    edge.tenants.create({ name: `metered ${at}`, planId: 'enterprise', marketStateCredits: CREDITS[at] }),
  );
  for (const wire of wires) wire.stir();

  const log = new CallLog();
  const faults = createFaults(context, edge, wires, kills);
  await callAll(context, edge, tenants, log, faults);
  for (const wire of wires) wire.calm();
  await edge.ready();
  await edge.stopGateways();

  const unreleased = untilReleased ? await unreleasedHolds(edge.pool) : [];
  report.figure('calls answered successfully, refused, unanswered', `${log.served.length}, ${log.refusedTotal()}, ${log.lost.length}`);
  report.figure('refusals by status', countsOf(Object.fromEntries(log.refused)));
  report.figure(
    'kills of gateways and of account, connections reset: to account, to the database',
    `${kills}, ${sumOf(gatewayWires.map((wire) => wire.resets()))} and ${edge.databaseWire.resets()}`,
  );
  await judgeLedger(
    report,
    edge.pool,
    tenants.map(({ tenantId }) => tenantId),
    log,
    faults.deaths(),
  );
  report.fail(...unreleased, ...(await auditLedger(edge.pool)).faults);
}

async function callAll(
  { closer, budget: calls, random }: SuiteContext,
  { gateways }: Edge,
  tenants: readonly Tenant[],
  log: CallLog,
  faults: Faults,
): Promise<void> {
  const call = openCaller(closer, CONNECTIONS);
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
      const [gateway, { tenantId, key }, { path, headers }] = [
        Math.floor(random() * GATEWAYS),
        oneOf(tenants, random) as Tenant,
        request(),
      ];
      const requestId = `call_${(made += 1)}`;
      const [life, sentMs] = [faults.lifeOf(gateway), performance.now()];
      try {
        note(
          await call(`${gateways[gateway]?.url ?? ''}${path}`, { key, headers: { ...headers, 'x-request-id': requestId } }),
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

  await atOnce(CONNECTIONS, work);
}
