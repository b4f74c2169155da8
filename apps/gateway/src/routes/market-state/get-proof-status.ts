import { type ServiceError, isServiceError } from '@market-state/errors';
import { loadPolicy } from '@market-state/labeler';
import { createTtlCache } from '../../caches/ttl-cache';
import type { DataHealthWatch } from '../../clients/data-health';
import { type MarketDataClient, type ServedSymbol, servedSymbols } from '../../clients/market-data-client';
import { type PacketClient, packetArchive } from '../../clients/packet-client';
import type { SelfChecks } from '../../clients/self-checks';
import { releaseSentence, releaseStatus } from '../../release/release-status';
import type { RunningRelease } from '../../release/running-release';
import { type OwnFields, dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { operationById } from '../../serving/openapi/operations';
import {
  type Proof,
  type StoredPackets,
  type SymbolFinding,
  checkChain,
  checkDerivation,
  checkPolicy,
  checkReplay,
  checkSignatures,
  keyRingOf,
  stateOf,
} from './proof-checks';

/** Packets checked per symbol: half a page of the packet log. */
const PACKETS_CHECKED = 30;
/** One symbol; packets are large and only this background check waits for them. */
const PACKETS_DEADLINE_MS = 10_000;

interface ProofDeps {
  readonly marketData: MarketDataClient;
  readonly packets: PacketClient;
  readonly selfChecks: Pick<SelfChecks, 'current'>;
  readonly release: RunningRelease;
}

const SELF_CHECK = 'Every 30 s, the service recomputes one random packet of the last hour whose recorded events are readable.';

type ProofId = Proof['proofId'];

const TEXTS: Readonly<Record<ProofId, Pick<Proof, 'title' | 'claim' | 'ownCheck' | 'operationIds'>>> = {
  packet_lineage: {
    title: 'Packets form one chain',
    claim: 'A changed, removed or inserted packet breaks the digest chain after it.',
    ownCheck: 'Hash each packet as RFC 8785 JSON, then hash the preceding lineage digest followed by that hash.',
    operationIds: ['replayPackets', 'streamPackets', 'getLatest'],
  },
  packet_signatures: {
    title: 'Packets are signed',
    claim: 'A signature identifies the installation that made the packet.',
    ownCheck: 'Verify the Ed25519 signature over the packet digest with the published key that the packet names.',
    operationIds: ['getSigningKeys', 'getLatest'],
  },
  policy_published: {
    title: 'Packets name the published policy',
    claim: 'The rules, thresholds and sentences behind a packet are publicly readable.',
    ownCheck: 'Hash the published files as RFC 8785 JSON and compare the result with the policy digest of a packet.',
    operationIds: ['getLabelingPolicy', 'getLatest'],
  },
  replay_receipts: {
    title: 'Replays report their completeness',
    claim: 'A replayed window comes with a receipt over its rows and lists every gap in it.',
    ownCheck: 'Replay a window and chain the hashes of its rows as the receipt describes.',
    operationIds: ['getReplayWindow', 'listGaps'],
  },
  packet_derivation: {
    title: 'Packets can be recomputed',
    claim: 'The recorded events and the published policy produce the same packet, byte for byte.',
    ownCheck:
      'Request verification of any event, or run `market-state verify` on the installation: both recompute the packets ' +
      'and compare digests.',
    operationIds: ['verifyEvent'],
  },
  archive: {
    title: 'Finished hours are archived',
    claim: 'Each archived file is read back and compared with its source rows before it counts, and hashed again before each read.',
    ownCheck: 'Read the hourly Parquet files with their manifests, or replay a window of an archived hour with its receipt.',
    operationIds: ['getCatalog', 'getReplayWindow'],
  },
  release: {
    title: 'The running service matches its build',
    claim: 'Programs, documents, routes and policy have the hashes recorded by the build.',
    ownCheck: 'Compare the release fingerprint with that of your own build of the same commit.',
    operationIds: ['getReleaseStatus', 'getDemoRelease'],
  },
};

function unreached(proofId: ProofId, who: string, { code }: ServiceError): Proof {
  const why = code === 'DEADLINE_EXCEEDED' ? 'did not respond in time' : 'is currently unavailable';
  return { proofId, ...TEXTS[proofId], checkState: 'not_checked', detail: `Not checked: ${who} ${why}.`, symbols: [] };
}

function overSymbols(proofId: ProofId, symbols: readonly SymbolFinding[], nothing: string): Proof {
  const checkState = stateOf(symbols);
  const checked = symbols.filter(({ checkedTotal }) => checkedTotal > 0);
  const failed = symbols.filter(({ passed }) => !passed).map(({ symbol }) => symbol);
  const detail =
    checkState === 'failed'
      ? `Does not hold for ${failed.join(', ')}.`
      : checkState === 'not_checked'
        ? nothing
        : `Holds for ${checked.map(({ symbol }) => symbol).join(', ')}.`;
  return { proofId, ...TEXTS[proofId], checkState, detail, symbols };
}

async function orUnreached(proofIds: readonly ProofId[], who: string, run: () => Promise<Proof[]>): Promise<Proof[]> {
  try {
    return await run();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return proofIds.map((proofId) => unreached(proofId, who, error));
  }
}

/** Empty for a symbol that is not labelled. */
async function newestPackets(client: PacketClient, symbol: string): Promise<StoredPackets> {
  try {
    const { packets } = await client.call.listPackets(
      { symbol, fromWindowEndMs: 0, toWindowEndMs: 0, pageSize: PACKETS_CHECKED, pageToken: '', descending: true, asOfMs: 0 },
      { deadlineMs: PACKETS_DEADLINE_MS },
    );
    return { symbol, packets };
  } catch (error) {
    if (isServiceError(error) && error.reason === 'unknown_symbol') return { symbol, packets: [] };
    throw error;
  }
}

async function packetProofs(client: PacketClient, symbols: readonly string[]): Promise<Proof[]> {
  const [kept, { keys }] = await Promise.all([
    Promise.all(symbols.map((symbol) => newestPackets(client, symbol))),
    client.call.listSigningKeys({}),
  ]);
  const ring = keyRingOf(keys);
  const { digest } = loadPolicy();
  return [
    overSymbols('packet_lineage', kept.map(checkChain), 'There are no packets yet.'),
    overSymbols(
      'packet_signatures',
      kept.map((each) => checkSignatures(each, ring)),
      'Packets of this installation are not signed.',
    ),
    overSymbols(
      'policy_published',
      kept.map((each) => checkPolicy(each, digest)),
      'There are no packets yet.',
    ),
  ];
}

async function derivationProof(selfChecks: ProofDeps['selfChecks'], symbols: readonly string[]): Promise<Proof> {
  const current = await selfChecks.current(0);
  const findings = symbols.map((symbol) => checkDerivation(symbol, current.get(symbol)));
  const checkedMs = findings.map(({ symbol, checkedTotal }) => (checkedTotal === 0 ? 0 : (current.get(symbol)?.checkedTsMs ?? 0)));
  const { detail, ...proof } = overSymbols('packet_derivation', findings, 'No packet has been recomputed yet.');
  return { ...proof, checkedMs: Math.max(...checkedMs), detail: `${detail} ${SELF_CHECK}` };
}

async function archiveProof({ marketData, packets }: ProofDeps, symbols: readonly string[]): Promise<Proof> {
  const [{ symbols: kept }, archived] = await Promise.all([
    marketData.call.getCatalog({ asOfMs: 0 }),
    Promise.all(symbols.map((symbol) => packetArchive(packets, symbol, 0))),
  ]);
  const rowHours = kept
    .flatMap(({ channels }) => channels.map(({ archiveHourTotal }) => archiveHourTotal))
    .reduce((sum, total) => sum + total, 0);
  const packetHours = archived.reduce((sum, archive) => sum + (archive?.hourTotal ?? 0), 0);
  const detail =
    rowHours + packetHours === 0
      ? 'No hour is archived yet. The first complete hour is archived after it ends.'
      : `${rowHours} row files and ${packetHours} packet files are archived, each covering one hour of one channel. This response counts them ` +
        `without opening them.`;
  return { proofId: 'archive', ...TEXTS.archive, checkState: 'not_checked', detail, symbols: [] };
}

async function releaseProof(release: RunningRelease): Promise<Proof> {
  const { release_state: state } = releaseStatus(await release.check());
  return {
    proofId: 'release',
    ...TEXTS.release,
    checkState: state === 'ready' ? 'passed' : state === 'drifted' ? 'failed' : 'not_checked',
    detail: releaseSentence(state),
    symbols: [],
  };
}

async function runProofs(deps: ProofDeps, served: readonly ServedSymbol[]): Promise<Proof[]> {
  const symbols = served.map(({ symbol }) => symbol);
  const { marketData, packets, selfChecks, release } = deps;
  const [ofPackets, ofReplay, ofDerivation, ofArchive, ofRelease] = await Promise.all([
    orUnreached(['packet_lineage', 'packet_signatures', 'policy_published'], 'the labeling service', () => packetProofs(packets, symbols)),
    orUnreached(['replay_receipts'], 'the data plane', async () => [
      overSymbols(
        'replay_receipts',
        await Promise.all(symbols.map((symbol) => checkReplay(marketData, symbol))),
        'No window is complete yet.',
      ),
    ]),
    orUnreached(['packet_derivation'], 'the labeling service', async () => [await derivationProof(selfChecks, symbols)]),
    orUnreached(['archive'], 'the data plane', async () => [await archiveProof(deps, symbols)]),
    releaseProof(release),
  ]);
  return [...ofPackets, ...ofReplay, ...ofDerivation, ...ofArchive, ofRelease];
}

/** Minimum interval between runs of the checks. */
const CHECK_EVERY_MS = 60_000;

export interface ProofStatusDeps extends ProofDeps {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly now: () => number;
}

function toSymbol({ symbol, passed, detail, fromMs, toMs, checkedTotal }: SymbolFinding): Described<'ProofFinding'> {
  const state = !passed ? 'failed' : checkedTotal === 0 ? 'not_checked' : 'passed';
  return {
    symbol,
    check_state: state,
    checked_total: checkedTotal,
    checked_from_utc: fromMs === null ? null : toUtc(fromMs),
    checked_to_utc: toMs === null ? null : toUtc(toMs),
    detail,
  };
}

/** `ready` if a reader can check it now. */
function toProof({ operationIds, ...proof }: Proof, checkedMs: number): Described<'Proof'> {
  const routes = operationIds.map(operationById);
  return {
    proof_id: proof.proofId,
    title: proof.title,
    claim: proof.claim,
    evidence_state: routes.length === 0 || (proof.checkState === 'not_checked' && proof.symbols.length > 0) ? 'held' : 'ready',
    check_state: proof.checkState,
    checked_at_utc: proof.checkState === 'not_checked' ? null : toUtc(proof.checkedMs ?? checkedMs),
    detail: proof.detail,
    own_check: proof.ownCheck,
    symbols: proof.symbols.map(toSymbol),
    route_access: routes.map(({ path, requiresApiKey, metered }) => ({
      route: path,
      access: requiresApiKey ? 'after_key' : 'pre_key',
      requires_api_key: requiresApiKey,
      metered,
    })),
  };
}

/** The preview covers delayed packets. */
export function getProofStatus(deps: ProofStatusDeps, preview = false): Handler<'getProofStatus'> {
  const { marketData, dataHealth, now } = deps;
  const cache = createTtlCache<Awaited<ReturnType<typeof check>>>({ ttlMs: CHECK_EVERY_MS, now });

  async function check() {
    const served = await servedSymbols(marketData);
    return { checkedMs: now(), served, proofs: await runProofs(deps, served) };
  }

  return async (call) => {
    const { checkedMs, served, proofs } = await cache.get('', check);
    const total = (state: string): number => proofs.filter(({ checkState }) => checkState === state).length;
    const failed = proofs.filter(({ checkState }) => checkState === 'failed').map(({ title }) => title);
    const fields: OwnFields<'ProofStatus'> = {
      status: failed.length > 0 ? 'failed' : 'ready',
      proof_total: proofs.length,
      passed_total: total('passed'),
      failed_total: failed.length,
      not_checked_total: total('not_checked'),
      proofs: proofs.map((proof) => toProof(proof, checkedMs)),
      public_preview_route: operationById('getDemoProof').path,
    };
    const remark =
      failed.length > 0
        ? `These do not hold: ${failed.join('; ')}.`
        : `${fields.passed_total} of ${fields.proof_total} proofs were checked at ${toUtc(checkedMs)} and hold.`;
    return jsonRepresentation(dataAnswer(call, { ...serviceSource(served, dataHealth, checkedMs), remark, preview }, fields));
  };
}
