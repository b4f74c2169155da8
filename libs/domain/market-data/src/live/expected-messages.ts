/** The fields of one kind of message, by their path; lists are seen through. */
interface ExpectedMessage {
  readonly fields: readonly string[];
  /** One that may not come for a while: there is nothing to tell. */
  readonly isRare?: boolean;
}

/** What the adapter of a venue was written for. Fields that it does not read stand here too: a new one may change what the others mean. */
export interface ExpectedMessages {
  /** The kind of a message, and the part of it whose fields count; undefined for one that belongs to the connection itself. */
  kindOf(message: Readonly<Record<string, unknown>>): { readonly kind: string; readonly body: unknown } | undefined;
  readonly messages: Readonly<Record<string, ExpectedMessage>>;
}
