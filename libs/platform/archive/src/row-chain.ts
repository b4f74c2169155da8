import { createHash, hash } from 'node:crypto';

const LINK_BYTES = 32;
/** Up to this many bytes, it is faster to join link and row and hash them in one call. */
const TOGETHER_BYTES = 16_384;

/**
 * Digest of a sequence of byte strings: h0 is 32 zero bytes, h(n) = SHA-256(h(n-1) followed by the n-th). It depends on their order and
 * boundaries.
 */
export class RowChain {
  private link = Buffer.alloc(LINK_BYTES);
  private readonly together = Buffer.alloc(LINK_BYTES + TOGETHER_BYTES);

  add(bytes: Uint8Array): void {
    if (bytes.length > TOGETHER_BYTES) {
      this.link = createHash('sha256').update(this.link).update(bytes).digest();
      return;
    }
    this.together.set(this.link);
    this.together.set(bytes, LINK_BYTES);
    this.link = hash('sha256', this.together.subarray(0, LINK_BYTES + bytes.length), 'buffer');
  }

  /** The digest so far, lower-case hex. */
  hex(): string {
    return this.link.toString('hex');
  }
}
