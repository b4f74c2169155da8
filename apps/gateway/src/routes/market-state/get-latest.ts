import { failedPrecondition, isServiceError, type ServiceError } from '@market-state/errors';
import { type MarketDataClient, servedSymbol, servedSymbols } from '../../clients/market-data-client';
import { newestPacket, type PacketClient, fromProtoPacket, type ServedPacket } from '../../clients/packet-client';
import { fixedJson, type FixedRepresentation, withOtherValues } from '../../serving/http/representation';
import { ALL_SYMBOLS, type PublishedLatest } from '../../caches/latest/latest-cache';
import type { LatestSource } from '../../caches/latest/latest-source';
import { renderLatest, type LatestBody } from '../../caches/latest/render-latest';
import { operationById } from '../../serving/openapi/operations';
import type { Handler } from '../../serving/answers/handler';

const KEYED = '"auth_state":"api_key"';
const IN_SESSION = '"auth_state":"account_session"';

type Latest = FixedRepresentation<LatestBody>;

const made = new WeakMap<Latest, Latest>();

/**
 * Derives the session variant of a response rendered for keys, once per response. The replaced quotation marks are
 * escaped in all text, so the match can only be in `meta`.
 */
function forSession(keyed: Latest): Latest {
  const known = made.get(keyed);
  if (known !== undefined) return known;
  const inSession = withOtherValues(keyed, (json) => json.replace(KEYED, IN_SESSION));
  made.set(keyed, inSession);
  return inSession;
}

export function getLatest({ latest: source }: { readonly latest: Pick<LatestSource, 'read'> }): Handler<'getLatest'> {
  return async ({ input, grant }) => {
    const { representation, symbolTotal } = await source.read(input.query.symbol, input.query.view);
    return { ...(grant?.kind === 'session' ? forSession(representation) : representation), observed: symbolTotal };
  };
}

interface DelayedLatestDeps {
  /** Upstreams delayed by 600 s. */
  readonly packets: PacketClient;
  readonly marketData: MarketDataClient;
  /** Delayed clock, milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The newest packet whose window had ended at the delayed clock. */
export function delayedLatest({ packets, marketData, clock }: DelayedLatestDeps): Pick<LatestSource, 'read' | 'newest'> {
  const operation = operationById('getLatest');

  async function hold(symbol: string): Promise<ServedPacket | null> {
    try {
      return fromProtoPacket(await newestPacket(packets, symbol, 0));
    } catch (error) {
      if (isServiceError(error, 'no_packet_yet') || isServiceError(error, 'unknown_symbol')) return null;
      throw error;
    }
  }

  function nothingYet(): ServiceError {
    return failedPrecondition('no_packet_yet', 'No packet is at least 600 s old yet.');
  }

  return {
    async newest(symbol): Promise<ServedPacket> {
      const packet = await hold((await servedSymbol(marketData, symbol)).symbol);
      if (packet === null) throw nothingYet();
      return packet;
    },
    async read(symbol, view): Promise<PublishedLatest> {
      const symbols =
        symbol === ALL_SYMBOLS
          ? (await servedSymbols(marketData)).map((served) => served.symbol).sort()
          : [(await servedSymbol(marketData, symbol)).symbol];
      const found = await Promise.all(symbols.map(hold));
      const [first, ...others] = found.filter((packet) => packet !== null);
      if (first === undefined) throw nothingYet();
      const missingSymbols = symbols.filter((_name, index) => found[index] === null);
      const packets = [first, ...others] as const;
      const nowMs = clock();
      const facts = {
        packets,
        missingSymbols,
        reach: 'stream',
        dataHealth: { reachable: true, down: [], filling: [], imported: [] },
        nowMs,
        delayed: true,
      } as const;
      const body = renderLatest(operation, facts, view);
      const freshUntilMs = Math.min(...packets.map((packet) => packet.freshUntilMs));
      return {
        representation: fixedJson(body),
        symbolTotal: packets.length,
        freshUntilMs,
        fresh: nowMs < freshUntilMs,
      };
    },
  };
}
