/** Where the SDK has an operation: `<group>.<method>`. @throws Error if that neither is listed nor follows from tag and id */
export function clientNameOf(operation: { readonly operationId: string; readonly tags: readonly string[] }): string;
