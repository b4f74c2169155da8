import { sha256Hex } from '#hash';
import { crockford, fromHex } from '../text-forms';
import type { AuditMeasure } from './comparison';

const ID_CHARACTERS = 26;

/** `dif_` and the first 26 characters (Crockford base32, lower case) of the SHA-256 of what is compared and the run that found it. */
export function differenceIdOf(symbol: string, measure: AuditMeasure, runMs: number): string {
  return `dif_${crockford(fromHex(sha256Hex(JSON.stringify([symbol, measure, runMs]))), ID_CHARACTERS)}`;
}
