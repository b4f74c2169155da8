import { MarketState } from '@market-state/client';
import { type ChainCheck, checkChain, type PacketRow } from '@market-state/client/verify';

/** What a customer of the packet stream was sent. */
export interface PacketsSeen {
  readonly sequences: readonly number[];
  /** Their digests and signatures, and that each names the one before. */
  readonly chain: ChainCheck;
}

/** A customer's stream of one symbol's packets. */
export interface PacketStream {
  readonly symbol: string;
  /** When each packet came, times of `performance.now()`. */
  readonly arrivalsMs: readonly number[];
  /** Ends it with the next packet that comes. */
  end(): Promise<PacketsSeen>;
}

const CREDITS_MAX = 100_000;

/** Reads a stream of packets by the SDK. */
export function readPackets(baseUrl: string, apiKey: string, symbol: string): PacketStream {
  const ms = new MarketState({ baseUrl, apiKey });
  const arrivalsMs: number[] = [];
  let isOver = false;
  async function read(): Promise<PacketsSeen> {
    const packets: (PacketRow & { readonly sequence: number })[] = [];
    for await (const message of ms.stream.packets({ symbols: symbol }, { maxCredits: CREDITS_MAX })) {
      if (message.type !== 'packet') throw new Error(`The stream of packets has sent ${message.type}.`);
      packets.push(message.data as PacketRow & { readonly sequence: number });
      arrivalsMs.push(performance.now());
      if (isOver) break;
    }
    const { data: keys } = await ms.signingKeys.get();
    return { sequences: packets.map(({ sequence }) => sequence), chain: await checkChain(packets, keys) };
  }
  const reading = read();
  reading.catch(() => undefined);
  return {
    symbol,
    arrivalsMs,
    end() {
      isOver = true;
      return reading;
    },
  };
}
