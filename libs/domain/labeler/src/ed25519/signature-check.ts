/** Verifies a 64-byte signature over a message. */
export type SignatureCheck = (message: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>) => Promise<boolean>;
