/** Service with JSON messages: tests the library without the product's contracts. */
export interface EchoRequest {
  readonly text: string;
}
export interface EchoResponse {
  readonly text: string;
}

const json = {
  requestStream: false,
  requestSerialize: (value: EchoRequest): Buffer => Buffer.from(JSON.stringify(value)),
  requestDeserialize: (bytes: Buffer): EchoRequest => JSON.parse(bytes.toString()) as EchoRequest,
  responseSerialize: (value: EchoResponse): Buffer => Buffer.from(JSON.stringify(value)),
  responseDeserialize: (bytes: Buffer): EchoResponse => JSON.parse(bytes.toString()) as EchoResponse,
} as const;

export const echoDefinition = {
  echo: { ...json, path: '/test.v1.EchoService/Echo', responseStream: false },
  echoOnce: { ...json, path: '/test.v1.EchoService/EchoOnce', responseStream: false },
  repeat: { ...json, path: '/test.v1.EchoService/Repeat', responseStream: true },
} as const;
