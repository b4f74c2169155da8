import { type Answer, type Example, type NamedOperation, resolve } from './document';

/** Codes of errors by status, as the document's examples have them. */
export function errorsOf(
  operation: NamedOperation,
): readonly { readonly status: string; readonly codes: readonly string[]; readonly description: string }[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const answer = resolve<Answer>(response);
    const examples = answer.content?.['application/problem+json']?.examples;
    const values = Object.values(examples ?? {}).map(
      (example) => resolve<Example>(example).value as { readonly code?: string } | undefined,
    );
    const codes = [...new Set(values.flatMap((value) => value?.code ?? []))];
    return codes.length === 0 ? [] : [{ status, codes, description: answer.description }];
  });
}
