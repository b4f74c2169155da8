import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { labeling } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { lineageDigest, sha256Hex } from '@market-state/labeler';
import { timeLimit } from '@market-state/lifecycle';
import { WINDOW_MS } from '@market-state/market-data';
import type { MarketDataClient } from '../../clients/market-data-client';
import { toUtc } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';

/** Result of a check for one symbol. */
export interface SymbolFinding {
  readonly symbol: string;
  readonly passed: boolean;
  /** One sentence with the numbers. */
  readonly detail: string;
  /** First and last instant checked; null if nothing was. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly checkedTotal: number;
}

/** `not_checked`: nothing to check now, or left to the reader. */
type CheckState = Described<'Proof'>['check_state'];

export interface Proof {
  readonly proofId: Described<'Proof'>['proof_id'];
  readonly title: string;
  readonly claim: string;
  readonly checkState: CheckState;
  readonly detail: string;
  /** Set if the check was not made for this response. */
  readonly checkedMs?: number;
  /** Empty if the proof does not concern symbols. */
  readonly symbols: readonly SymbolFinding[];
  /** Independent check that a reader can make. */
  readonly ownCheck: string;
  /** Operations that serve the checked data. */
  readonly operationIds: readonly string[];
}

export function stateOf(findings: readonly SymbolFinding[]): CheckState {
  if (findings.some(({ passed }) => !passed)) return 'failed';
  return findings.some(({ checkedTotal }) => checkedTotal > 0) ? 'passed' : 'not_checked';
}

const { VerifyEventResponse_Outcome: Outcome } = labeling;

/** Converts labeling's own check of a symbol's packets into a finding. */
export function checkDerivation(symbol: string, check: labeling.SelfCheck | undefined): SymbolFinding {
  if (check === undefined) return nothing(symbol, 'No packet has been recomputed yet.');
  const { windowEndMs, outcome, reason } = check;
  const packet = `The packet of the window that ended at ${toUtc(windowEndMs)}`;
  if (outcome === Outcome.CANNOT) return nothing(symbol, `${packet} could not be recomputed: ${reason}.`);
  const passed = outcome === Outcome.MATCH;
  const detail = passed ? `${packet} was recomputed and matches byte for byte.` : `${packet} differs from its recomputation.`;
  return { symbol, passed, detail, fromMs: windowEndMs, toMs: windowEndMs, checkedTotal: 1 };
}

/** Stored packets of one symbol, newest first. */
export interface StoredPackets {
  readonly symbol: string;
  readonly packets: readonly labeling.PacketRecord[];
}

type KeyRing = ReadonlyMap<string, KeyObject>;

export function keyRingOf(keys: readonly labeling.SigningKey[]): KeyRing {
  return new Map(
    keys.map(({ keyId, publicKey }) => [
      keyId,
      createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }, format: 'jwk' }),
    ]),
  );
}

function follows(packet: labeling.PacketRecord, before: labeling.PacketRecord): boolean {
  return packet.sequence === before.sequence + 1 && packet.lineageDigest === lineageDigest(before.lineageDigest, packet.packetDigest);
}

function finding({ symbol, packets }: StoredPackets, broken: labeling.PacketRecord | undefined, good: string, bad: string): SymbolFinding {
  const span = { fromMs: packets.at(-1)?.windowEndMs ?? null, toMs: packets[0]?.windowEndMs ?? null, checkedTotal: packets.length };
  if (packets.length === 0) return { symbol, passed: true, detail: 'No packets to check yet.', ...span };
  return { symbol, passed: broken === undefined, detail: broken === undefined ? good : `${bad}: ${broken.packetId}.`, ...span };
}

export function checkChain(kept: StoredPackets): SymbolFinding {
  const { packets } = kept;
  const broken = packets.find((packet, index) => {
    const before = packets[index + 1];
    return sha256Hex(packet.body) !== packet.packetDigest || (before !== undefined && !follows(packet, before));
  });
  return finding(
    kept,
    broken,
    `${packets.length} consecutive packets match their digests and link to their predecessors.`,
    'A digest or link is invalid',
  );
}

/** Uses the key that a packet names. A packet without a signature counts as unsigned. */
export function checkSignatures(kept: StoredPackets, keys: KeyRing): SymbolFinding {
  const signed = kept.packets.filter(({ signature }) => signature.length > 0);
  if (signed.length === 0) return nothing(kept.symbol, 'The newest packets are not signed.');
  const broken = signed.find(({ signature, signingKeyId, packetDigest }) => {
    const key = keys.get(signingKeyId);
    return key === undefined || !verify(null, Buffer.from(packetDigest, 'hex'), key, signature);
  });
  return finding(
    { symbol: kept.symbol, packets: signed },
    broken,
    `${signed.length} of ${kept.packets.length} packets are signed, each with a published key.`,
    'A signature is invalid',
  );
}

export function checkPolicy(kept: StoredPackets, policyDigest: string): SymbolFinding {
  const other = kept.packets.find((packet) => packet.policyDigest !== policyDigest);
  return finding(
    kept,
    other,
    `${kept.packets.length} packets contain the digest of the published policy.`,
    'A packet contains another policy digest',
  );
}

/** A window that ended this long before the feed clock is complete. */
const FINISHED_AFTER_MS = 60_000;
const ROWS_MAX = 5_000;
const DEADLINE_MS = 5_000;

function nothing(symbol: string, detail: string): SymbolFinding {
  return { symbol, passed: true, detail, fromMs: null, toMs: null, checkedTotal: 0 };
}

export async function checkReplay(client: MarketDataClient, symbol: string): Promise<SymbolFinding> {
  try {
    return await replayRecent(client, symbol);
  } catch (error) {
    if (isServiceError(error) && error.reason === 'beyond_retention')
      return nothing(symbol, 'The data of that time is no longer retained.');
    throw error;
  }
}

async function replayRecent(client: MarketDataClient, symbol: string): Promise<SymbolFinding> {
  const { feedClockMs } = await client.call.getFreshness({ symbol });
  const endMs = Math.floor((feedClockMs - FINISHED_AFTER_MS) / WINDOW_MS) * WINDOW_MS;
  const window = { startMs: endMs - WINDOW_MS, endMs };
  let chain: Buffer = Buffer.alloc(32);
  let total = 0;
  for await (const { rows, end } of client.call.readWindow(
    { symbol, ...window, channels: [], asOfMs: 0, pageSize: ROWS_MAX, pageToken: '' },
    { signal: timeLimit(DEADLINE_MS) },
  )) {
    for (const row of rows)
      chain = createHash('sha256')
        .update(chain)
        .update(row.channel === 'packets' ? row.packetDigest : row.line)
        .digest();
    total += rows.length;
    const receipt = end?.completeness;
    if (receipt === undefined) continue;
    if (total === 0 && receipt.rowsSent === 0) return nothing(symbol, `The window from ${toUtc(window.startMs)} has no rows.`);
    const same = receipt.rowsSent === total && receipt.rowsSha256 === chain.toString('hex');
    const whole = receipt.complete
      ? 'The receipt marks the window as complete.'
      : `The receipt marks the window as incomplete: ${receipt.reasons.join(', ')}.`;
    const found = same
      ? `${total} rows match the receipt's digest. ${whole}`
      : `The ${total} rows of the window from ${toUtc(window.startMs)} do not match its receipt.`;
    return { symbol, passed: same, detail: found, fromMs: window.startMs, toMs: endMs, checkedTotal: total };
  }
  return nothing(symbol, 'The window was not received completely in time.');
}
