/** How much a tool tells. */
export const DETAILS = ['concise', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/** Bytes of an answer as JSON, by how much was asked for. */
export const ANSWER_BYTES_MAX: Readonly<Record<Detail, number>> = { concise: 2_000, full: 24_000 };

/** Bytes that nothing given to an agent exceeds, a resource neither. */
export const TEXT_BYTES_MAX = 32_000;

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
