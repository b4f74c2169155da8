import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { bundlesOfLog, loadPolicy, publicKeyBytesOf, signingKeyOf } from '@market-state/labeler';
import { instrumentOf, recordingLines, recordingLog } from '@market-state/market-data';

const SYMBOL = 'BTCUSD-PERP';
/** The last one is the first in `pressure_building`: sellers hit the thinner bids. */
const PACKETS = 27;
/** The sample's private signing key is public: its signatures demonstrate the check, but do not prove the signer. */
const KEY_TEXT = 'market-state sample bundle';
/** DER prefix of a 32-byte Ed25519 private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

interface PortalSample {
  /** gzip of a bundle that starts with the log's first entry. */
  readonly bundle: Uint8Array;
  readonly policy: string;
  /** Shown before the check. */
  readonly summary: string;
}

/** Builds the sample from the bundled recording. Reproducible. */
export function makePortalSample(root: string): PortalSample {
  const seed = createHash('sha256').update(KEY_TEXT).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const policy = loadPolicy();
  const bundles = bundlesOfLog(recordedLog(root), {
    symbol: SYMBOL,
    policy,
    packetTotal: PACKETS,
    key: signingKeyOf(publicKeyBytesOf(createPublicKey(privateKey))),
    sign: (digest) => sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64'),
  });
  const { value } = bundles.next();
  if (value === undefined) throw new Error(`The recording of ${SYMBOL} has fewer than ${PACKETS} packets.`);
  const { entries, packets } = value;
  const summary = { packet_total: packets.length, entry_total: entries.length, packet: packets.at(-1)?.packet };
  return {
    bundle: gzipSync(`${value.lines.join('\n')}\n`, { level: 9 }),
    policy: `${JSON.stringify(policy.files)}\n`,
    summary: `${JSON.stringify(summary)}\n`,
  };
}

function recordedLog(root: string) {
  const folder = join(root, 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm');
  const lines = [...recordingLines(gunzipSync(readFileSync(join(folder, 'btcusd_perp_20240808.gz'))))];
  return recordingLog({ instrument: instrumentOf(SYMBOL), lines, firstShiftMs: 0 });
}

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'dist', 'portal-sample');
const { bundle, policy, summary } = makePortalSample(root);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'bundle.ndjson.gz'), bundle);
writeFileSync(join(folder, 'policy.json'), policy);
writeFileSync(join(folder, 'summary.json'), summary);
