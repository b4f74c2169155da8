import { Metadata } from '@grpc/grpc-js';
import { currentRequestContext } from '@market-state/logging';
import { injectTrace, type OpenSpan } from '@market-state/tracing';
import { REQUEST_ID_KEY } from './call-context';
import type { RpcPeer } from './identity/identity';

/** Metadata of an outgoing call: the proof of who calls, request id of the request being served (or as given), and the trace. */
export function outgoingMetadata(peer: RpcPeer, path: string, span: OpenSpan, requestId: string | undefined): Metadata {
  const metadata = new Metadata();
  peer.prove(metadata, path);
  const id = requestId ?? currentRequestContext()?.requestId;
  if (id !== undefined) metadata.set(REQUEST_ID_KEY, id);
  injectTrace(span.context, (key, value) => metadata.set(key, value));
  return metadata;
}

/** Aborts with the call's own signal or with the request being served, whichever comes first. */
export function outgoingSignal(own: AbortSignal | undefined): AbortSignal | undefined {
  const inherited = currentRequestContext()?.signal;
  if (own === undefined || inherited === undefined) return own ?? inherited;
  return AbortSignal.any([own, inherited]);
}
