import type { StreamId, StreamOf, StreamOptions, StreamParams } from './streams/types';
import type { Answer, CallOptions, DataIn, FileAnswer, OperationId, Params, RowOf, Rows, View } from './types';

/** Transport behind the methods of the groups. */
export interface Send {
  call<K extends OperationId, V extends View = View>(
    id: K,
    params: Params<K> | Record<string, never>,
    options?: CallOptions,
  ): Promise<Answer<K, DataIn<K, V>>>;
  file<K extends OperationId>(id: K, params: Params<K>, options?: CallOptions): Promise<FileAnswer>;
  rows<K extends OperationId, V extends View = View>(id: K, params: Params<K>, options?: CallOptions): Rows<K, RowOf<K, V>, DataIn<K, V>>;
  stream<K extends StreamId, V extends View = View>(id: K, params: StreamParams<K>, options?: StreamOptions): StreamOf<K, V>;
}
