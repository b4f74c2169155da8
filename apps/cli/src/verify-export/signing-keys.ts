import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SigningKey, signingKeyOf } from '@market-state/labeler';
import { z } from 'zod';
import { incomplete } from '../cli-error';
import type { FaultList } from './fault-list';
import type { MarketState } from '@market-state/client';
import { isAnswer } from '../client/open-service';

const KEYS = 'keys.json';

const keysShape = z.object({
  keys: z.array(z.object({ kid: z.string(), kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.base64url() })),
});

/** The keys of an export by their ids; faults name those that are none, or that the API does not publish. */
export async function readSigningKeys(
  folder: string,
  ms: MarketState | undefined,
  faults: FaultList,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SigningKey>> {
  const listed = keysOf(await readFile(join(folder, KEYS), 'utf8').catch(() => ''), KEYS, faults);
  if (ms === undefined) return listed;
  const published = keysOf(JSON.stringify(await publishedBy(ms, signal)), 'the API', faults);
  for (const keyId of listed.keys()) if (!published.has(keyId)) faults.add(KEYS, `${KEYS}: the API does not publish ${keyId}`);
  return listed;
}

async function publishedBy(ms: MarketState, signal: AbortSignal): Promise<unknown> {
  try {
    return (await ms.signingKeys.get({ signal })).data;
  } catch (error) {
    throw isAnswer(error) ? incomplete(`the API does not give its keys: ${error.status}: ${error.detail}`) : error;
  }
}

function keysOf(text: string, place: string, faults: FaultList): ReadonlyMap<string, SigningKey> {
  const found = new Map<string, SigningKey>();
  for (const { kid, x } of jwksOf(text, place, faults)) {
    const key = signingKeyOf(Buffer.from(x, 'base64url'));
    if (key.keyId === kid) found.set(kid, key);
    else faults.add(KEYS, `${place}: the id of ${kid} is not that of its key, which is ${key.keyId}`);
  }
  return found;
}

function jwksOf(text: string, place: string, faults: FaultList): z.infer<typeof keysShape>['keys'] {
  try {
    return keysShape.parse(JSON.parse(text)).keys;
  } catch {
    faults.add(KEYS, `${place}: no list of Ed25519 keys`);
    return [];
  }
}
