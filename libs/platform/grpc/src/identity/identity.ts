import type { ChannelCredentials, ChannelOptions, Metadata, ServerCredentials } from '@grpc/grpc-js';
import type { PeerCertificate } from 'node:tls';

export interface CallProof {
  /** The proof is removed from it. */
  readonly metadata: Metadata;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Verified by the connection. */
  readonly certificate: PeerCertificate | undefined;
}

export interface RpcPeer {
  channel(): { readonly credentials: ChannelCredentials; readonly options: ChannelOptions };
  /** Adds proof of the caller for `/package.Service/Method`. */
  prove(metadata: Metadata, path: string): void;
  /** Channels must then be replaced. Returns the unsubscribe function. */
  onReplaced(listener: () => void): () => void;
}

export interface RpcIdentity {
  /** Name in `proto/callers.yaml`. */
  readonly service: string;
  serverCredentials(): ServerCredentials;
  /** Undefined if not proved. */
  callerOf(proof: CallProof): string | undefined;
  to(service: string): RpcPeer;
  close(): void;
}

/** Callers by `/package.Service/Method`: `CALLERS` of the contracts. */
export type CallerTable = Readonly<Record<string, readonly string[]>>;
