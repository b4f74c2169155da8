import { account, exports, IDEMPOTENT, labeling, marketData, mcp, webhook } from '@market-state/contracts';
import { createClient, type GrpcClient, healthDefinition, type RpcIdentity } from '@market-state/grpc';
import type { Metrics } from '@market-state/telemetry';
import { type PacketPushes, packetPushes } from './packet-pushes';
import { createSelfChecks, type SelfChecks } from './self-checks';
import { createStretchCache } from './stretch-cache';

/** The services this gateway calls. */
export interface Upstreams {
  readonly credits: GrpcClient<account.CreditServiceService>;
  /** Looks up keys, and hears of changes of credentials. */
  readonly keyLookUps: GrpcClient<account.KeyServiceService>;
  /** Looks up sessions. */
  readonly sessionLookUps: GrpcClient<account.AccountServiceService>;
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  /** Of `people`, for calls that hash a password: a crowd of them leaves the others' places free. */
  readonly signIn: GrpcClient<account.AccountServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly idempotency: GrpcClient<account.IdempotencyServiceService>;
  readonly shownReceipts: GrpcClient<account.ShownReceiptServiceService>;
  readonly readFigures: GrpcClient<account.ReadFiguresServiceService>;
  readonly accountHealth: GrpcClient<typeof healthDefinition>;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly labelingHealth: GrpcClient<typeof healthDefinition>;
  /** Pushed packets, of every process of labeling: streams have clients of their own, so that none waits for the reads of others. */
  readonly pushedPackets: PacketPushes;
  readonly selfChecks: SelfChecks;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  /** Rows as they come, for every reader of a symbol at once. */
  readonly liveRows: GrpcClient<marketData.MarketDataServiceService>;
  /** Stored rows, for replays and for readers that catch up. */
  readonly replayRows: GrpcClient<marketData.MarketDataServiceService>;
  /** Export jobs. The gateway is ready without this service. */
  readonly exports: GrpcClient<exports.ExportServiceService>;
  /** Bytes of exported files, which wait for no call about jobs. */
  readonly exportedFiles: GrpcClient<exports.ExportServiceService>;
  /** Watchlists and alerts. The gateway is ready without this service. */
  readonly watchlists: GrpcClient<webhook.WatchlistServiceService>;
  readonly savedSearches: GrpcClient<webhook.SavedSearchServiceService>;
  readonly endpoints: GrpcClient<webhook.EndpointServiceService>;
  readonly messages: GrpcClient<webhook.MessageServiceService>;
  /** Waits for new messages, in the way of no other call. */
  readonly messageWaits: GrpcClient<webhook.MessageServiceService>;
  /** Messages of agents. The gateway is ready without this service. */
  readonly agents: GrpcClient<mcp.McpServiceService>;
  close(): Promise<void>;
}

/** Of every process of each service. */
export interface UpstreamAddresses {
  readonly accountAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly exportAddresses: readonly string[];
  readonly webhookAddresses: readonly string[];
  readonly mcpAddresses: readonly string[];
}

/** Instruments and rights are settings of the data plane that many answers name: they are asked for so often at most, milliseconds. */
const SETTINGS_MS = 2_000;

/** Time of a call that changes something, milliseconds. */
const WRITE_DEADLINE_MS = 5_000;
/** Deadline of credential look-ups: short, because they are retried while account is down or hangs. */
const LOOK_UP_DEADLINE_MS = 1_000;

/** Time of a call about exports, which may have to plan a month of twenty symbols, milliseconds. */
const EXPORT_DEADLINE_MS = 10_000;

/** Time of a call about webhooks: a rehearsal reads days of packets, and a test waits for its first attempt. Milliseconds. */
const WEBHOOK_DEADLINE_MS = 20_000;

/** Time of a call that waits for messages, 20 s at most. Milliseconds. */
const MESSAGE_WAIT_DEADLINE_MS = 25_000;

/** Time of a message of an agent, whose tool may make several calls. Milliseconds. */
const AGENT_DEADLINE_MS = 25_000;

/** Methods that may be sent again: as the contracts mark them, and the health checks. */
const MAY_REPEAT: ReadonlySet<string> = new Set([...IDEMPOTENT, healthDefinition.check.path]);

export function createUpstreams(addresses: UpstreamAddresses, identity: RpcIdentity, metrics: Metrics): Upstreams {
  const shared = { metrics, idempotent: MAY_REPEAT };
  const toAccount = { address: addresses.accountAddresses, peer: identity.to('account'), ...shared };
  const toLabeling = { address: addresses.labelingAddresses, peer: identity.to('labeling'), ...shared };
  const toDataPlane = { address: addresses.dataPlaneAddresses, peer: identity.to('data-plane'), ...shared };
  const toExport = { address: addresses.exportAddresses, peer: identity.to('export'), ...shared };
  const toWebhook = { address: addresses.webhookAddresses, peer: identity.to('webhook'), ...shared, deadlineMs: WEBHOOK_DEADLINE_MS };
  const streamedRows = () => createClient({ ...toDataPlane, definition: marketData.MarketDataServiceService });
  // Credential look-ups wait for no other call of account. They have concurrency limits and retries of their own, and no breaker, so that
  // they reach account as soon as it is back.
  const lookUps = { ...toAccount, deadlineMs: LOOK_UP_DEADLINE_MS };
  const keyLookUps = createClient({ ...lookUps, definition: account.KeyServiceService, unguarded: ['verifyKey'] });
  const sessionLookUps = createClient({ ...lookUps, definition: account.AccountServiceService, unguarded: ['verifySession'] });
  const keys = createClient({ ...toAccount, definition: account.KeyServiceService });
  const people = createClient({
    ...toAccount,
    definition: account.AccountServiceService,
    deadlineMs: WRITE_DEADLINE_MS,
  });
  const signIn = createClient({ ...toAccount, definition: account.AccountServiceService, deadlineMs: WRITE_DEADLINE_MS });
  const billing = createClient({
    ...toAccount,
    definition: account.BillingServiceService,
    deadlineMs: WRITE_DEADLINE_MS,
  });
  const idempotency = createClient({ ...toAccount, definition: account.IdempotencyServiceService });
  // Leases and charges are sent again by their own loops, which no breaker keeps from account when it is back.
  const credits = createClient({
    ...toAccount,
    definition: account.CreditServiceService,
    unguarded: ['takeLease', 'postCharges', 'endLease'],
  });
  const shownReceipts = createClient({ ...toAccount, definition: account.ShownReceiptServiceService });
  const readFigures = createClient({ ...toAccount, definition: account.ReadFiguresServiceService });
  const accountHealth = createClient({ ...toAccount, definition: healthDefinition });
  const packets = createClient({
    ...toLabeling,
    definition: labeling.LabelingServiceService,
  });
  const labelingHealth = createClient({ ...toLabeling, definition: healthDefinition });
  const rows = createClient({
    ...toDataPlane,
    definition: marketData.MarketDataServiceService,
  });
  const pushedPackets = packetPushes(addresses.labelingAddresses, identity.to('labeling'), metrics);
  const selfChecks = createSelfChecks({
    addresses: addresses.labelingAddresses,
    open: (address) => createClient({ ...toLabeling, definition: labeling.LabelingServiceService, address }),
  });
  const [liveRows, replayRows] = [streamedRows(), streamedRows()];
  const jobs = createClient({ ...toExport, definition: exports.ExportServiceService, deadlineMs: EXPORT_DEADLINE_MS });
  const exportedFiles = createClient({ ...toExport, definition: exports.ExportServiceService });
  const watchlists = createClient({ ...toWebhook, definition: webhook.WatchlistServiceService });
  const savedSearches = createClient({ ...toWebhook, definition: webhook.SavedSearchServiceService });
  const endpoints = createClient({ ...toWebhook, definition: webhook.EndpointServiceService });
  const messages = createClient({ ...toWebhook, definition: webhook.MessageServiceService });
  const messageWaits = createClient({
    ...toWebhook,
    definition: webhook.MessageServiceService,
    deadlineMs: MESSAGE_WAIT_DEADLINE_MS,
  });
  const agents = createClient({
    address: addresses.mcpAddresses,
    peer: identity.to('mcp'),
    ...shared,
    definition: mcp.McpServiceService,
    deadlineMs: AGENT_DEADLINE_MS,
  });
  const settings = { stretchMs: SETTINGS_MS, entriesMax: 1, now: Date.now };
  const instruments = createStretchCache<marketData.ListInstrumentsResponse>(settings);
  const rights = createStretchCache<marketData.GetRightsResponse>(settings);
  return {
    credits,
    keyLookUps,
    sessionLookUps,
    keys,
    people,
    signIn,
    billing,
    idempotency,
    shownReceipts,
    readFigures,
    accountHealth,
    packets,
    pushedPackets,
    selfChecks,
    labelingHealth,
    liveRows,
    replayRows,
    exports: jobs,
    exportedFiles,
    watchlists,
    savedSearches,
    endpoints,
    messages,
    messageWaits,
    agents,
    marketData: {
      ...rows,
      call: {
        ...rows.call,
        listInstruments: (request) => instruments.get('', () => rows.call.listInstruments(request)),
        getRights: (request) => rights.get('', () => rows.call.getRights(request)),
      },
    },
    async close() {
      await Promise.all(
        [
          credits,
          keyLookUps,
          sessionLookUps,
          keys,
          people,
          signIn,
          billing,
          idempotency,
          shownReceipts,
          readFigures,
          accountHealth,
          packets,
          selfChecks,
          labelingHealth,
          rows,
          liveRows,
          replayRows,
          jobs,
          exportedFiles,
          watchlists,
          savedSearches,
          endpoints,
          messages,
          messageWaits,
          agents,
        ].map((client) => client.close()),
      );
    },
  };
}
