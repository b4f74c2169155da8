/** One method of a generated service definition, whatever its messages. */
export interface MethodShape {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: never) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (value: never) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

/** A generated service definition, for example `marketData.MarketDataServiceService`. */
export type ServiceMethods = Readonly<Record<string, MethodShape>>;

export type RequestOf<M extends MethodShape> = ReturnType<M['requestDeserialize']>;
export type ResponseOf<M extends MethodShape> = ReturnType<M['responseDeserialize']>;

/** Names of the methods that answer once. */
export type UnaryNames<D extends ServiceMethods> = {
  [K in keyof D & string]: D[K]['responseStream'] extends true ? never : K;
}[keyof D & string];

/** `package.Service` of a method's path. */
export function serviceNameOf(path: string): string {
  return path.slice(1, path.lastIndexOf('/'));
}
