import type { labeling } from '@market-state/contracts';
import { failedPrecondition, isServiceError, type ServiceError } from '@market-state/errors';
import { newestPacket, type PacketClient } from '../../../clients/packet-client';
import { toUtc } from '../../../serving/meta/instant';

/** The instant from which a policy was in force is told to this, milliseconds: the time between packets. */
const PRECISION_MS = 10_000;

/** What labeling says of a symbol that it has no packet of, labelled or not. */
const NO_PACKET: ReadonlySet<string> = new Set(['no_packet_yet', 'unknown_symbol']);

/** The newest packet of any of the symbols that was known at an instant; null when there was none. */
async function packetKnownAt(client: PacketClient, symbols: readonly string[], asOfMs: number): Promise<labeling.PacketRecord | null> {
  for (const symbol of symbols) {
    try {
      return await newestPacket(client, symbol, asOfMs);
    } catch (error) {
      if (!isServiceError(error) || !NO_PACKET.has(error.reason)) throw error;
    }
  }
  return null;
}

/** The first instant from which packets name the policy, between one at which they did not and one at which they do. */
async function inForceFrom(
  client: PacketClient,
  symbols: readonly string[],
  digest: string,
  beforeMs: number,
  nowMs: number,
): Promise<number> {
  let [outMs, inMs] = [beforeMs, nowMs];
  while (inMs - outMs > PRECISION_MS) {
    const middleMs = Math.floor((outMs + inMs) / 2);
    if ((await packetKnownAt(client, symbols, middleMs))?.policyDigest === digest) inMs = middleMs;
    else outMs = middleMs;
  }
  return inMs;
}

function notPublished(sentence: string, oldestMs: number): ServiceError {
  return failedPrecondition('beyond_retention', sentence, { metadata: { oldest_ms: String(oldestMs) } });
}

/**
 * Refuses an instant at which packets were made under another policy than this, or under none: a release publishes its own policy alone.
 * @throws ServiceError `beyond_retention` with the oldest instant that can be asked for
 */
export async function refuseOtherPolicy(
  client: PacketClient,
  symbols: readonly string[],
  digest: string,
  asOfMs: number,
  nowMs: number,
): Promise<void> {
  const packet = await packetKnownAt(client, symbols, asOfMs);
  if (packet?.policyDigest === digest) return;
  const oldestMs = await inForceFrom(client, symbols, digest, asOfMs, nowMs);
  if (packet === null) throw notPublished(`No packet was known at ${toUtc(asOfMs)}, so no policy was in force that is kept.`, oldestMs);
  throw notPublished(
    `Packets known at ${toUtc(asOfMs)} name the policy ${packet.policyDigest}, which is not that of this release.`,
    oldestMs,
  );
}
