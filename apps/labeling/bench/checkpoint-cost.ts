import { generateKeyPairSync } from 'node:crypto';
import { createState, loadPolicy, reduce, restoreState, serializeState } from '@market-state/labeler';
import { toCheckpoint } from '../src/labeling/label-store';
import { createPacketSigner } from '../src/packets/packet-signer';
import { HOUR_MS, recordingEvents, SYMBOL } from './recording-events';

/**
 * Cost of a checkpoint over the hourly states of a recording: raw and packed size and the time of each part; also the
 * cost of a signature. Run: node --import @oxc-node/core/register apps/labeling/bench/checkpoint-cost.ts
 */

const HOURS = 8;
const SIGNATURES = 1_000;

const policy = loadPolicy();

function timed<T>(work: () => T): [T, number] {
  const startedMs = performance.now();
  const result = work();
  return [result, performance.now() - startedMs];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<void> {
  const signer = createPacketSigner(generateKeyPairSync('ed25519').privateKey);
  const [, signMs] = timed(() => {
    for (let index = 0; index < SIGNATURES; index += 1) signer.sign(index.toString(16).padStart(64, '0'));
  });
  say(`signature ${(signMs / SIGNATURES).toFixed(3)} ms`);

  const state = createState(SYMBOL, policy);
  let hours = 0;
  for (const event of recordingEvents()) {
    const newest = reduce(state, event).at(-1);
    if (newest === undefined || newest.windowEndMs % HOUR_MS !== 0) continue;
    hours += 1;
    const [bytes, serializeMs] = timed(() => serializeState(state));
    const startedMs = performance.now();
    const checkpoint = await toCheckpoint({ ...newest, id: event, state: bytes });
    const packMs = performance.now() - startedMs;
    const [, restoreMs] = timed(() => restoreState(bytes, policy));
    const sizes = `${hours} h: raw ${bytes.length} bytes, gzip ${checkpoint.stateGzip.length}`;
    say(`${sizes}; serialize ${serializeMs.toFixed(1)} ms, digest and gzip ${packMs.toFixed(1)} ms; restore ${restoreMs.toFixed(1)} ms`);
    if (hours === HOURS) return;
  }
}

void main();
