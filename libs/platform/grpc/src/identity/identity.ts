import type { ChannelCredentials, ChannelOptions, Metadata, ServerCredentials } from '@grpc/grpc-js';
import type { PeerCertificate } from 'node:tls';

/** Evidence of the caller's identity. */
export interface CallProof {
  /** Call metadata; the proof is removed from it. */
  readonly metadata: Metadata;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Verified client certificate of the connection. */
  readonly certificate: PeerCertificate | undefined;
}

/** A service to call, with mutual authentication. */
export interface RpcPeer {
  /** Credentials and options for a new channel. */
  channel(): { readonly credentials: ChannelCredentials; readonly options: ChannelOptions };
  /** Adds proof of the caller to the metadata of a call of `/package.Service/Method`. */
  prove(metadata: Metadata, path: string): void;
  /** Calls back when channels must be replaced because certificates changed. Returns a function that stops it. */
  onReplaced(listener: () => void): () => void;
}

/** Identity of a process, proved by a certificate or by a token of its installation. */
export interface RpcIdentity {
  /** Name in `proto/callers.yaml`. */
  readonly service: string;
  serverCredentials(): ServerCredentials;
  /** Calling service; undefined if not proved. */
  callerOf(proof: CallProof): string | undefined;
  /** Another service, to be called as this one. */
  to(service: string): RpcPeer;
  /** Stops watching certificate files. */
  close(): void;
}

/** Services that may call a method, by `/package.Service/Method`: `CALLERS` of the contracts. */
export type CallerTable = Readonly<Record<string, readonly string[]>>;
