import { account, exports, IDEMPOTENT, labeling, marketData, mcp, webhook } from '@market-state/contracts';
import { createClient, type GrpcClient, healthDefinition } from '@market-state/grpc';
import type { Service } from '@market-state/service';
import { packetPushes } from './packet-pushes';
import { createSelfChecks } from './self-checks';
import { createTtlCache } from '../caches/ttl-cache';

/** Addresses of every process of each service. */
export interface UpstreamAddresses {
  readonly accountAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly exportAddresses: readonly string[];
  readonly webhookAddresses: readonly string[];
  readonly mcpAddresses: readonly string[];
}

/** The services this gateway calls. It is ready without export, webhook and mcp. */
export type Upstreams = ReturnType<typeof openUpstreams>;

/** Lifetime of cached instruments and rights, settings of the data plane that many answers name, milliseconds. */
const SETTINGS_TTL_MS = 2_000;
/** Settings that could not be read are not asked for again for this long, milliseconds. */
const FAILURE_TTL_MS = 1_000;

/** Deadline of a call that changes something, milliseconds. */
const WRITE = { deadlineMs: 5_000 };
/** Deadline of credential look-ups: short, because they are retried while account is down or hangs. */
const LOOK_UP = { deadlineMs: 1_000 };
/** Deadline of a call about exports, which may have to plan a month of twenty symbols. */
const EXPORT = { deadlineMs: 10_000 };
/** Deadline of a call about webhooks: a rehearsal reads days of packets, and a test waits for its first attempt. */
const WEBHOOK = { deadlineMs: 20_000 };
/** Deadline of a call that waits for messages, 20 s at most. */
const MESSAGE_WAIT = { deadlineMs: 25_000 };
/** Deadline of an agent's message, whose tool may make several calls. */
const AGENT = { deadlineMs: 25_000 };

/**
 * Opens a client for each purpose: each has its own limit of calls in flight, so that clients of one service do not delay each other.
 * Clients close with the gateway.
 */
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
    /** Leases and charges are retried by their own loops, which no breaker may keep from account when it is back. */
    credits: toAccount(account.CreditServiceService, { unguarded: ['takeLease', 'postCharges', 'endLease'] }),
    /** Looks up keys and receives changes of credentials. Without a breaker, to reach account as soon as it is back. */
    keyLookUps: toAccount(account.KeyServiceService, { ...LOOK_UP, unguarded: ['verifyKey'] }),
    sessionLookUps: toAccount(account.AccountServiceService, { ...LOOK_UP, unguarded: ['verifySession'] }),
    keys: toAccount(account.KeyServiceService),
    people: toAccount(account.AccountServiceService, WRITE),
    /** Calls that hash a password: a crowd of them must not use up the limit of `people`. */
    signIn: toAccount(account.AccountServiceService, WRITE),
    billing: toAccount(account.BillingServiceService, WRITE),
    idempotency: toAccount(account.IdempotencyServiceService),
    shownReceipts: toAccount(account.ShownReceiptServiceService),
    readFigures: toAccount(account.ReadFiguresServiceService),
    accountHealth: toAccount(healthDefinition),
    packets: toLabeling(labeling.LabelingServiceService),
    labelingHealth: toLabeling(healthDefinition),
    /** Pushed packets of every labeling process; streams have clients of their own, so that they don't delay reads. */
    pushedPackets: packetPushes(addresses.labelingAddresses, identity.to('labeling'), metrics),
    selfChecks,
    marketData: served,
    /** Live rows, shared by every reader of a symbol. */
    liveRows: toDataPlane(marketData.MarketDataServiceService),
    /** Stored rows, for replays and for readers that catch up. */
    replayRows: toDataPlane(marketData.MarketDataServiceService),
    exports: toExport(exports.ExportServiceService, EXPORT),
    /** Bytes of exported files. */
    exportedFiles: toExport(exports.ExportServiceService),
    watchlists: toWebhook(webhook.WatchlistServiceService, WEBHOOK),
    savedSearches: toWebhook(webhook.SavedSearchServiceService, WEBHOOK),
    endpoints: toWebhook(webhook.EndpointServiceService, WEBHOOK),
    messages: toWebhook(webhook.MessageServiceService, WEBHOOK),
    /** Waits for new messages. */
    messageWaits: toWebhook(webhook.MessageServiceService, MESSAGE_WAIT),
    agents: clientsOf('mcp', addresses.mcpAddresses)(mcp.McpServiceService, AGENT),
  };
}
