import { MarketState } from '@market-state/client';
import { type ChainCheck, checkChain, type PacketRow } from '@market-state/client/verify';
import { SYMBOL } from './scene';

/** What a customer of the packet stream was sent. */
export interface PacketsSeen {
  readonly sequences: readonly number[];
  /** Their digests and signatures, and that each names the one before. */
  readonly chain: ChainCheck;
}

const CREDITS_MAX = 100_000;

/** Reads the stream of packets by the SDK. @returns how to end it: with the next packet that comes */
export function readPackets(baseUrl: string, apiKey: string): () => Promise<PacketsSeen> {
  const ms = new MarketState({ baseUrl, apiKey });
  let isOver = false;
  async function read(): Promise<PacketsSeen> {
    const packets: (PacketRow & { readonly sequence: number })[] = [];
    for await (const message of ms.stream.packets({ symbols: SYMBOL }, { maxCredits: CREDITS_MAX })) {
      if (message.type !== 'packet') throw new Error(`The stream of packets has sent ${message.type}.`);
      packets.push(message.data as PacketRow & { readonly sequence: number });
      if (isOver) break;
    }
    const { data: keys } = await ms.signingKeys.get();
    return { sequences: packets.map(({ sequence }) => sequence), chain: await checkChain(packets, keys) };
  }
  const reading = read();
  reading.catch(() => undefined);
  return () => {
    isOver = true;
    return reading;
  };
}
