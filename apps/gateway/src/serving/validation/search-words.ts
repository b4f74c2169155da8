/** Splits a search text into words at every character that is neither a letter nor a digit, so that tags and states are valid searches. */
export function searchWords(text: string): string[] {
  return [
    ...new Set(
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== ''),
    ),
  ];
}
