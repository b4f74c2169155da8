/** Where the SDK has each operation: `<group>.<method>`, by operation id. */
export const CLIENT_NAMES: Readonly<Record<string, string>>;
