import { BudgetError, type CallFacts, MarketState, ProblemError, TransportError, type StreamMessages } from '@market-state/client';
import { atOnce, createRandom, oneOf } from '@market-state/testing/pure';
import { VerificationError, verifyWebhook } from '@market-state/client/webhooks';
import { type ChainCheck, checkChain, type PacketRow } from '@market-state/client/verify';

const CHANNELS = ['book', 'trades'] as const;
const MESSAGES_AFTER = 20;
/** Minimum packets, so that they form a chain. */
const PACKETS_MIN = 3;
const CREDITS_MAX = 100_000;

/** Received and stored stream data, in order. A row is identified by epoch, sequence and channel. */
export interface StreamsRead {
  readonly rows: readonly string[];
  /** From the first row received to the last. */
  readonly stored: readonly string[];
  readonly packetNumbers: readonly number[];
  readonly chain: ChainCheck;
}

export async function readStreams(access: Access, areCutsOver: () => boolean | Promise<boolean>): Promise<StreamsRead> {
  const ms = new MarketState({ ...access, timeoutMs: TIMEOUT_MS });
  const [rows, packets] = await Promise.all([readRows(ms, areCutsOver), readPackets(ms, areCutsOver)]);
  const { data: keys } = await ms.signingKeys.get();
  return {
    rows: rows.map(placeOf),
    stored: await storedRows(ms, rows),
    packetNumbers: packets.map(({ sequence }) => sequence),
    chain: await checkChain(packets, keys),
  };
}

type Row = Extract<StreamMessages['streamData'], { readonly type: 'row' }>['data'];
type Packet = PacketRow & { readonly sequence: number };

function placeOf({ epoch, sequence, channel }: Pick<Row, 'epoch' | 'sequence' | 'channel'>): string {
  return `${epoch} ${sequence} ${channel}`;
}

async function readRows(ms: MarketState, areCutsOver: () => boolean | Promise<boolean>): Promise<Row[]> {
  const rows: Row[] = [];
  let after = 0;
  for await (const message of ms.stream.data({ symbols: SYMBOL, channels: CHANNELS }, { maxCredits: CREDITS_MAX })) {
    if (message.type !== 'row' && message.type !== 'gap') throw new Error(`a row stream sent ${message.type}`);
    if (message.type === 'row') rows.push(message.data);
    if ((await areCutsOver()) && (after += 1) > MESSAGES_AFTER) break;
  }
  return rows;
}

async function readPackets(ms: MarketState, areCutsOver: () => boolean | Promise<boolean>): Promise<Packet[]> {
  const packets: Packet[] = [];
  for await (const message of ms.stream.packets({ symbols: SYMBOL }, { maxCredits: CREDITS_MAX })) {
    if (message.type !== 'packet') throw new Error(`a packet stream sent ${message.type}`);
    packets.push(message.data as Packet);
    if ((await areCutsOver()) && packets.length >= PACKETS_MIN) break;
  }
  return packets;
}

async function storedRows(ms: MarketState, rows: readonly Row[]): Promise<string[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const times = rows.map(({ exchange_time_utc: time }) => Date.parse(time));
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)];
  const window = { symbol: SYMBOL, start: String(firstMs), end: String(lastMs + 1), channels: CHANNELS.join(',') };
  const stored: string[] = [];
  for await (const row of ms.replayWindow.rows(window, { maxCredits: CREDITS_MAX }))
    if (row.sequence >= first.sequence && row.sequence <= last.sequence) stored.push(placeOf(row));
  return stored;
}

export interface WebhookMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
}

export function judgeWebhooks(messages: readonly WebhookMessage[]): Promise<boolean[]> {
  return Promise.all(messages.map(isGenuine));
}

async function isGenuine({ body, headers, secret }: WebhookMessage): Promise<boolean> {
  try {
    await verifyWebhook(body, headers, [secret]);
    return true;
  } catch (error) {
    if (error instanceof VerificationError) return false;
    throw error;
  }
}

export interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Long, because a call that times out while the proxy has its answer would be charged without a trace. */
const TIMEOUT_MS = 120_000;

export const WORKERS = 12;
const SAY_EVERY = 1_000;
const SYMBOL = 'BTCUSD-PERP';

export interface CallOrder {
  readonly access: Access;
  /** Another tenant with a budget for all its calls, made by one worker. */
  readonly limited: { readonly apiKey: string; readonly budget: number };
  readonly seed: number;
  readonly total: number;
}

/** Outcome of a call. `unsent`: no budget left. `unhandled`: an unexpected kind of error. Unknown values are null. */
export interface CallOutcome {
  readonly kind: 'answered' | 'refused' | 'lost' | 'unsent' | 'unhandled';
  readonly isLimited: boolean;
  readonly requestId: string | null;
  readonly attempts: number | null;
  readonly charged: number | null;
  readonly status: number | null;
  readonly message: string | null;
}

const CALLS: readonly [Draw, ...Draw[]] = [
  (ms) => ms.latest.get({ symbol: SYMBOL, view: 'compact' }),
  (ms) => ms.latest.get({ symbol: SYMBOL }),
  (ms) => ms.trades.latest({ symbol: SYMBOL, limit: 300 }),
  (ms) => ms.book.latest({ symbol: SYMBOL, depth: 20 }),
  (ms) => ms.history.get({ symbol: SYMBOL, limit: 30 }),
  (ms) => ms.data.freshness({ symbol: SYMBOL }),
  (ms) => ms.trades.latest({ symbol: SYMBOL, limit: 0 }),
];

type Draw = (ms: MarketState) => Promise<{ readonly call: CallFacts }>;

export async function makeCalls({ access, limited, seed, total }: CallOrder, say: (line: string) => void): Promise<CallOutcome[]> {
  const random = createRandom(seed);
  const clientOf = (apiKey: string): MarketState => new MarketState({ baseUrl: access.baseUrl, apiKey, timeoutMs: TIMEOUT_MS, random });
  const [ms, within] = [clientOf(access.apiKey), clientOf(limited.apiKey).withBudget(limited.budget)];
  const outcomes: CallOutcome[] = [];
  let made = 0;
  await atOnce(WORKERS, async (worker) => {
    while (made < total) {
      made += 1;
      if (made % SAY_EVERY === 0) say(`${made} of ${total} calls`);
      const isLimited = worker === 0;
      outcomes.push({ ...NOTHING_KNOWN, isLimited, ...(await outcomeOf(oneOf(CALLS, random)(isLimited ? within : ms))) });
    }
  });
  return outcomes;
}

const NOTHING_KNOWN = { requestId: null, attempts: null, charged: null, status: null, message: null } as const;

async function outcomeOf(call: ReturnType<Draw>): Promise<Pick<CallOutcome, 'kind'> & Partial<CallOutcome>> {
  try {
    const { requestId, attempts, charged, status } = (await call).call;
    return { kind: 'answered', requestId, attempts, charged, status };
  } catch (error) {
    const message = String(error);
    if (error instanceof ProblemError)
      return { kind: 'refused', requestId: error.requestId, attempts: error.attempts, status: error.status, message };
    if (error instanceof TransportError) return { kind: 'lost', requestId: error.requestId, attempts: error.attempts, message };
    return { kind: error instanceof BudgetError ? 'unsent' : 'unhandled', message };
  }
}
