import { generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { POLICY } from '../tests/label-log';
import { recordingEvents } from '../tests/recording-events';
import { publicKeyBytesOf } from './ed25519/key-object';
import { signingKeyOf } from './packet-row/lines';
import type { NumberEdits } from './policy-numbers';
import type { Policy } from './policy/policy';
import { bundleLines } from './verify/bundle';
import { bundlesOfLog, type LogBundle } from './packet-row/bundles-of-log';
import { StateRestoreError } from './reducer/state-image';
import { SourceError } from './verify/symbol-source';
import { compareLab, type Lab, type LabPacket, openLab, relabelLab, takeOver, editedPolicy } from './lab';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
/** A policy whose thresholds are the session's own after two minutes. */
const { numbers: NUMBERS } = POLICY;
const OTHER_DWELL = String(NUMBERS.dwell.packets + 1);
const PUBLISHED = edited({ 'calibration.sample_minimum': '15' }, POLICY);
/** The first bundle starts with the log, the second at a checkpoint, the third once there are enough samples. */
const PACKETS = 12;

const labs: Lab[] = [];

beforeAll(async () => {
  const bundles = bundlesOfLog(recordingEvents('BTCUSD-PERP'), {
    symbol: 'BTCUSD-PERP',
    policy: PUBLISHED,
    packetTotal: PACKETS,
    key: signingKeyOf(publicKeyBytesOf(publicKey)),
    sign: (digest) => sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64'),
  });
  for (let at = 1; at <= 3; at++) labs.push(await opened((bundles.next().value as LogBundle).lines));
});

async function opened(lines: readonly string[], policyFiles: object = PUBLISHED.files): Promise<Lab> {
  return openLab(await bundleLines(Uint8Array.from(gzipSync(lines.join('\n')))), policyFiles);
}

function lab(which: 'from the first entry' | 'from a checkpoint' | 'calibrated'): Lab {
  const found = labs[['from the first entry', 'from a checkpoint', 'calibrated'].indexOf(which)];
  if (found === undefined) throw new Error('no such lab');
  return found;
}

function edited(edits: NumberEdits, published = PUBLISHED): Policy {
  const policy = editedPolicy(published, edits);
  if (!('digest' in policy)) throw new Error(JSON.stringify(policy));
  return policy;
}

const thresholdsOf = (packet: LabPacket | undefined) =>
  Object.entries(packet?.packet.state_decision_trace.composites ?? {}).map(([name, { watch, elevated }]) => [name, watch, elevated]);

describe.each(['from the first entry', 'from a checkpoint', 'calibrated'] as const)('a span that is taken up %s', (which) => {
  test('is labelled as it was published, byte for byte, with the published numbers', () => {
    const { packets, checkpointMs } = lab(which);
    expect(packets).toHaveLength(PACKETS);
    expect(checkpointMs === null).toBe(which === 'from the first entry');
    const made = relabelLab(lab(which), edited({}));
    expect(made.map(({ body }) => body)).toEqual(packets.map(({ body }) => body));
    expect(compareLab(packets, made)).toMatchObject({ changes: [], totals: { compared: PACKETS, changed: 0, onlyA: 0, onlyB: 0 } });
  });

  test('reads differently with thresholds that are moved, each window saying which; the packets are of another policy and chain', () => {
    const policy = edited({ 'thresholds.pressure.watch': '0.02', 'thresholds.flow.watch': '0.02', 'dwell.packets': '1' });
    const made = relabelLab(lab(which), policy);
    const { changes, totals } = compareLab(lab(which).packets, made);
    expect(totals).toMatchObject({ compared: PACKETS, changed: changes.length, onlyA: 0, onlyB: 0 });
    expect(changes.length).toBeGreaterThan(0);
    for (const { because } of changes) expect(because.map(({ name }) => name)).toContain('pressure_watch');
    expect(new Set(made.map(({ packet }) => packet.policy_digest))).toEqual(new Set([policy.digest]));
    const published = new Set(lab(which).packets.map(({ eventId }) => eventId));
    expect(made.filter(({ eventId }) => published.has(eventId))).toEqual([]);
  });
});

test('thresholds that are edited hold from the first window, within their clamps where they are calibrated; the others stay', () => {
  const published = thresholdsOf(lab('calibrated').packets[0]);
  expect(lab('calibrated').packets[0]?.packet.calibration_context.threshold_source).toBe('symbol_rolling_quantile');
  const [raised] = relabelLab(lab('calibrated'), edited({ 'thresholds.pressure.watch': '0.5', 'thresholds.pressure.elevated': '0.8' }));
  const after = thresholdsOf(raised);
  expect(after[0]?.[1]).toBeGreaterThanOrEqual(0.25);
  expect(after.slice(1)).toEqual(published.slice(1));
  const own = { 'thresholds.pressure.calibrated': 'false', 'thresholds.pressure.watch': '0.123' };
  expect(thresholdsOf(relabelLab(lab('calibrated'), edited(own))[0])[0]).toEqual(['pressure', 0.123, NUMBERS.thresholds.pressure.elevated]);
  const [early] = relabelLab(lab('from a checkpoint'), edited({ 'thresholds.flow.watch': '0.4' }));
  expect(thresholdsOf(early)[1]).toEqual(['flow', 0.4, NUMBERS.thresholds.flow.elevated]);
});

test('severity bounds that are edited hold from the first window', () => {
  const boundsOf = (made: readonly LabPacket[]) => made[0]?.packet.event_severity.bounds;
  expect(boundsOf(relabelLab(lab('from a checkpoint'), edited({ 'severity.elevated_from': '0.2' })))).toMatchObject({ elevated: 0.2 });
  const low = { 'severity.elevated_from': '0.05', 'severity.high_from': '0.1', 'severity.critical_from': '0.15' };
  expect(boundsOf(relabelLab(lab('calibrated'), edited(low)))).toMatchObject({ elevated: 0.05, high: 0.1, critical: 0.15 });
});

test('a state that another policy than the published one made is not taken over', () => {
  const other = edited({ 'dwell.packets': OTHER_DWELL });
  expect(() => takeOver(lab('from a checkpoint').start, other, PUBLISHED)).toThrow(StateRestoreError);
});

test('everything wrong with the edits is reported at once, and no policy is made of them', () => {
  const faults = editedPolicy(POLICY, {
    'thresholds.flow.watch': '0.6',
    'dwell.packets': '0',
    'mood.level': '1',
    'confidence.base': '0.9',
  });
  expect(faults).toEqual([
    { path: 'dwell.packets', says: '(0) must be >= 1' },
    { path: 'mood.level', says: 'is not an editable number of the policy' },
    { path: 'thresholds.flow.elevated', says: `(${NUMBERS.thresholds.flow.elevated}) is not above watch (0.6)` },
    expect.objectContaining({ path: 'confidence.base' }),
  ]);
});

test('a bundle of another policy, and one whose packets do not follow from it, are refused in words', async () => {
  const { lines } = bundlesOfLog(recordingEvents('BTCUSD-PERP'), {
    symbol: 'BTCUSD-PERP',
    policy: PUBLISHED,
    packetTotal: 1,
    key: signingKeyOf(publicKeyBytesOf(publicKey)),
    sign: (digest) => sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64'),
  }).next().value as LogBundle;
  const refusal = await opened(lines, edited({ 'dwell.packets': OTHER_DWELL }).files).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(SourceError);
  expect((refusal as SourceError).message).toContain('the packets were made under policy');
  const trade = lines.findIndex((line) => line.includes('"kind":"trade"'));
  const changed = lines.with(trade, (lines[trade] ?? '').replace(/"size":"[^"]+"/, '"size":"9999"'));
  await expect(opened(changed)).rejects.toThrow('the packets in the bundle do not follow from its log and policy');
});
