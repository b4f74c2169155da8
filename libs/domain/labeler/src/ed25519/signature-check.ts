/** Whether the signature (64 bytes) is that of a key over the message. */
export type SignatureCheck = (message: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>) => Promise<boolean>;
