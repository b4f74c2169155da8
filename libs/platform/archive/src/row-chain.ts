import { createHash } from 'node:crypto';

const START = Buffer.alloc(32);

/** Digest of a sequence of byte strings: h0 is 32 zero bytes, h(n) = SHA-256(h(n-1) followed by the n-th). Order and borders count. */
export class RowChain {
  private link: Buffer = START;

  add(bytes: Uint8Array): void {
    this.link = createHash('sha256').update(this.link).update(bytes).digest();
  }

  /** The digest so far, lower-case hex. */
  hex(): string {
    return this.link.toString('hex');
  }
}
