import type { ChannelCredentials, ChannelOptions, Metadata, ServerCredentials } from '@grpc/grpc-js';
import type { PeerCertificate } from 'node:tls';

/** What a server sees of its caller. */
export interface CallProof {
  /** The call's metadata; a proof found in it is removed. */
  readonly metadata: Metadata;
  /** The method, as `/package.Service/Method`. */
  readonly path: string;
  /** The certificate of a connection whose peer proved to hold it. */
  readonly certificate: PeerCertificate | undefined;
}

/** A service to call: how to connect so that both sides know each other. */
export interface RpcPeer {
  /** Credentials and options for a new channel to it. */
  channel(): { readonly credentials: ChannelCredentials; readonly options: ChannelOptions };
  /** Adds the proof of who calls to the metadata of a call of `/package.Service/Method`. */
  prove(metadata: Metadata, path: string): void;
  /** Calls back when channels should be replaced, because certificates were. Returns a function that stops it. */
  onReplaced(listener: () => void): () => void;
}

/** Who a process is, proved by certificates or by a token of its installation. */
export interface RpcIdentity {
  /** Its name in `proto/callers.yaml`. */
  readonly service: string;
  /** How its server listens. */
  serverCredentials(): ServerCredentials;
  /** The service that calls; undefined when the call proves none. */
  callerOf(proof: CallProof): string | undefined;
  /** Another service, to call it as this one. */
  to(service: string): RpcPeer;
  /** Stops watching the files of certificates. */
  close(): void;
}

/** Services that may call a method, by `/package.Service/Method`: `CALLERS` of the contracts. */
export type CallerTable = Readonly<Record<string, readonly string[]>>;
