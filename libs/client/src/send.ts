import type { StreamId, StreamOf, StreamOptions, StreamParams } from './streams/types';
import type { Answer, CallOptions, FileAnswer, OperationId, Params, Rows } from './types';

/** How the methods of the groups reach the service. */
export interface Send {
  call<K extends OperationId>(id: K, params: Params<K> | Record<string, never>, options?: CallOptions): Promise<Answer<K>>;
  file<K extends OperationId>(id: K, params: Params<K>, options?: CallOptions): Promise<FileAnswer>;
  rows<K extends OperationId>(id: K, params: Params<K>, options?: CallOptions): Rows<K>;
  stream<K extends StreamId>(id: K, params: StreamParams<K>, options?: StreamOptions): StreamOf<K>;
}
