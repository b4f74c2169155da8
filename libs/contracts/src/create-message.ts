/** A message with these fields; every other field has its protobuf default. */
export function createMessage<T extends object>(type: { decode(bytes: Uint8Array): T }, fields: Partial<T> = {}): T {
  return { ...type.decode(new Uint8Array()), ...fields };
}
