import { MarketState } from '@market-state/client';
import { openEdge } from '../edge/edge';
import { type Market, openMarket } from '../edge/market';
import type { Proof, ProofContext } from '../harness';
import { proveStreams } from './cut-streams';
import { proveCalls } from './faulty-calls';
import { openFaultyProxy } from './faulty-proxy';
import { proveWebhooks } from './webhook-vectors';

const FAULTS = 0.05;
const CALLS_A_CUT = 100;
const CALLS_A_WEBHOOK = 10;
const CREDITS = 10_000_000;
/** An answer that the proxy has and the caller gave up would be charged without a trace here. */
const TIMEOUT_MS = 120_000;

export const sdkProof: Proof = {
  id: 'sdk',
  claim: `of calls of the SDK with ${FAULTS * 100} % faults each is answered or refused in words, charges equal receipts, and cut streams lose and repeat nothing`,
  budget: { default: 10_000, counts: `calls; one stream is cut for every ${CALLS_A_CUT}, one webhook judged for every ${CALLS_A_WEBHOOK}` },
  run: async (context) => proveSdk(context, await openMarket(context.closer)),
};

/** The SDK against a gateway, with a proxy between them that disturbs what passes; `only` is `calls`, `streams` or `webhooks`. */
export async function proveSdk(context: ProofContext, market: Market): Promise<void> {
  const { closer, random, budget, only } = context;
  const has = (part: string): boolean => only === undefined || only === part;
  if (has('webhooks')) await proveWebhooks(context, Math.ceil(budget / CALLS_A_WEBHOOK));
  const edge = await openEdge(closer, market, { gateways: 1, random });
  await edge.ready();
  const cuts = Math.ceil(budget / CALLS_A_CUT);
  const proxy = await openFaultyProxy(closer, { target: edge.gateways[0]?.url ?? '', random, faults: FAULTS, cuts });
  const caller = await edge.office.tenant('sdk', 'enterprise', CREDITS);
  const other = await edge.office.tenant('sdk budget', 'enterprise', CREDITS);
  const clientOf = (apiKey: string): MarketState => new MarketState({ baseUrl: proxy.url, apiKey, timeoutMs: TIMEOUT_MS, random });
  if (has('calls'))
    await proveCalls(context, proxy, edge.pool, clientOf(caller.key), { ms: clientOf(other.key), tenantId: other.tenantId });
  if (has('streams')) await proveStreams(context, proxy, cuts, clientOf(caller.key));
}
