interface ExpectedMessage {
  readonly fields: readonly string[];
  readonly isRare?: boolean;
}

/** Includes fields the adapter does not read: a new field may change the meaning of others. */
export interface ExpectedMessages {
  /** Undefined for connection messages. */
  kindOf(message: Readonly<Record<string, unknown>>): { readonly kind: string; readonly body: unknown } | undefined;
  readonly messages: Readonly<Record<string, ExpectedMessage>>;
}
