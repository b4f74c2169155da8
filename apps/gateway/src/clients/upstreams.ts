import { account, exports, IDEMPOTENT, labeling, marketData, mcp, webhook } from '@market-state/contracts';
import { createClient, type GrpcClient, healthDefinition } from '@market-state/grpc';
import type { Service } from '@market-state/service';
import type { DataHealthWatch } from './data-health';
import { packetPushes } from './packet-pushes';
import { createSelfChecks } from './self-checks';
import { createTtlCache } from '../caches/ttl-cache';

export interface UpstreamAddresses {
  readonly accountAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly exportAddresses: readonly string[];
  readonly webhookAddresses: readonly string[];
  readonly mcpAddresses: readonly string[];
}

/** The gateway is ready without export, webhook and mcp. */
export type Upstreams = ReturnType<typeof openUpstreams>;

/** Dependencies of reads of packets and rows. */
export interface ReadDeps extends Upstreams {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  /** Base address used in specs and recipes. */
  readonly baseUrl: () => string;
  readonly now: () => number;
}

/** Instruments and rights, which many answers include. */
const SETTINGS_TTL_MS = 2_000;
const FAILURE_TTL_MS = 1_000;

const WRITE = { deadlineMs: 5_000 };
/** Four requests to the login provider, of 3 s at most. */
const LOGIN_PROVIDER = { deadlineMs: 15_000 };
/** Short, because look-ups are retried while account is down. */
const LOOK_UP = { deadlineMs: 1_000 };
/** An export may have to plan a month of twenty symbols. */
const EXPORT = { deadlineMs: 10_000 };
/** A rehearsal reads days of packets; a test waits for its first attempt. */
const WEBHOOK = { deadlineMs: 20_000 };
/** Long polls for messages wait up to 20 s. */
const MESSAGE_WAIT = { deadlineMs: 25_000 };
/** An agent's tool may make several calls per message. */
const AGENT = { deadlineMs: 25_000 };

/** Each client has its own limit of calls in flight, so that clients of one service do not delay each other. */
export function openUpstreams(
  addresses: UpstreamAddresses,
  { clientsOf, closer, identity, metrics }: Pick<Service, 'clientsOf' | 'closer' | 'identity' | 'metrics'>,
) {
  const toAccount = clientsOf('account', addresses.accountAddresses);
  const toLabeling = clientsOf('labeling', addresses.labelingAddresses);
  const toDataPlane = clientsOf('data-plane', addresses.dataPlaneAddresses);
  const toExport = clientsOf('export', addresses.exportAddresses);
  const toWebhook = clientsOf('webhook', addresses.webhookAddresses);
  const selfChecks = createSelfChecks({
    addresses: addresses.labelingAddresses,
    open: (address) =>
      createClient({
        definition: labeling.LabelingServiceService,
        address,
        peer: identity.to('labeling'),
        idempotent: IDEMPOTENT,
        metrics,
      }),
  });
  closer.add('self-checks', () => selfChecks.close());
  const rows = toDataPlane(marketData.MarketDataServiceService);
  const settings = { ttlMs: SETTINGS_TTL_MS, failureTtlMs: FAILURE_TTL_MS, now: Date.now };
  const instruments = createTtlCache<marketData.ListInstrumentsResponse>(settings);
  const rights = createTtlCache<marketData.GetRightsResponse>(settings);
  const served: GrpcClient<marketData.MarketDataServiceService> = {
    ...rows,
    call: {
      ...rows.call,
      listInstruments: (request) => instruments.get('', () => rows.call.listInstruments(request)),
      getRights: (request) => rights.get('', () => rows.call.getRights(request)),
    },
  };
  return {
    /** No breaker: lease and charge loops retry and must reach account as soon as it recovers. */
    credits: toAccount(account.CreditServiceService, { unguarded: ['takeLease', 'postCharges', 'endLease'] }),
    /** No breaker, to reach account as soon as it recovers. */
    keyLookUps: toAccount(account.KeyServiceService, { ...LOOK_UP, unguarded: ['verifyKey'] }),
    sessionLookUps: toAccount(account.AccountServiceService, { ...LOOK_UP, unguarded: ['verifySession'] }),
    keys: toAccount(account.KeyServiceService),
    people: toAccount(account.AccountServiceService, WRITE),
    /** A burst of slow password hashes must not exhaust the limit of `people`. */
    signIn: toAccount(account.AccountServiceService, WRITE),
    /** A slow login provider must not exhaust the limit of `signIn`. No breaker, since its failures are not account's. */
    oidc: toAccount(account.AccountServiceService, { ...LOGIN_PROVIDER, unguarded: ['beginOidcLogin', 'finishOidcLogin'] }),
    billing: toAccount(account.BillingServiceService, WRITE),
    idempotency: toAccount(account.IdempotencyServiceService),
    shownReceipts: toAccount(account.ShownReceiptServiceService),
    readFigures: toAccount(account.ReadFiguresServiceService),
    accountHealth: toAccount(healthDefinition),
    packets: toLabeling(labeling.LabelingServiceService),
    labelingHealth: toLabeling(healthDefinition),
    /** Streams have their own clients so that they don't delay reads. */
    pushedPackets: packetPushes(addresses.labelingAddresses, identity.to('labeling'), metrics),
    selfChecks,
    marketData: served,
    /** Shared by all readers of a symbol. */
    liveRows: toDataPlane(marketData.MarketDataServiceService),
    /** Replays and catch-up reads. */
    replayRows: toDataPlane(marketData.MarketDataServiceService),
    exports: toExport(exports.ExportServiceService, EXPORT),
    exportedFiles: toExport(exports.ExportServiceService),
    watchlists: toWebhook(webhook.WatchlistServiceService, WEBHOOK),
    savedSearches: toWebhook(webhook.SavedSearchServiceService, WEBHOOK),
    endpoints: toWebhook(webhook.EndpointServiceService, WEBHOOK),
    messages: toWebhook(webhook.MessageServiceService, WEBHOOK),
    messageWaits: toWebhook(webhook.MessageServiceService, MESSAGE_WAIT),
    agents: clientsOf('mcp', addresses.mcpAddresses)(mcp.McpServiceService, AGENT),
  };
}
